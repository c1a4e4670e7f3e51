internal import Kafka
internal import OperatorEvents
internal import PipelineRuntime
internal import Primitives
internal import Telemetry

/// Rows that the brokers refuse do not block other rows. They are kept in the file and retried every minute, and the
/// records that caused them are dead-lettered, so that this file is never the only copy of a fact.
extension KeyedState {
    /// Handles publications that were not acknowledged.
    ///
    /// - Parameter isReadBack: true for a contribution or a proposal, whose caller receives the error.
    /// - Returns: a failure after which the same call may succeed if retried later, or nil if there is none.
    func settle(
        _ outcome: StateDelivery.Outcome, of delivery: StateDelivery, isReadBack: Bool
    ) async throws -> KafkaError? {
        let failures = outcome.failures
        let partition = try partition(delivery.partition)
        let discarded = partition.discard(failures)
        if isReadBack { return failures.values.first }
        if let failure = failures.values.first(where: { !$0.code.isRefusal }) { return failure }
        // Two batches that changed the same key wait for the same delivery, and the first of them resolves it.
        if discarded.refused.isEmpty { return delivery.refusals == nil ? failures.values.first : nil }
        let refusals: [RowKey: KafkaError]
        if delivery.count == 1, outcome.failedAlone {
            try setAside(discarded, in: partition)
            refusals = discarded.errors
        } else {
            refusals = try await isolate(discarded.refused, in: partition)
        }
        delivery.resolve(refusals)
        return nil
    }

    /// Republishes refused rows in ever smaller groups until each row that is refused on its own is isolated. A single
    /// row that was refused in a batch with another publication is republished.
    ///
    /// - Returns: the errors, by key, for the rows that are refused on their own.
    private func isolate(
        _ rows: [RowKey: [UInt8]?], in partition: Partition
    ) async throws -> [RowKey: KafkaError] {
        guard await partition.isolating.acquire() else { throw CancellationError() }
        defer { partition.isolating.release() }
        var refusals: [RowKey: KafkaError] = [:]
        var groups = Self.halves(of: rows)
        var repetitions = 0
        while let group = groups.popLast() {
            let delivery = try partition.publishAgain(group, at: clocks.wallMilliseconds())
            let outcome = try await delivery.outcome()
            _ = try noteAcknowledged(outcome, of: delivery)
            var discarded = partition.discard(outcome.failures)
            if let failure = outcome.failures.values.first(where: { !$0.code.isRefusal }) {
                throw StateError(.publication, "a publication was not acknowledged: \(failure.message)")
            }
            if discarded.refused.isEmpty, let error = outcome.failures.values.first {
                // A merge that waits for the same delivery has discarded these publications.
                discarded = Partition.Discarded(refused: group, errors: group.mapValues { _ in error })
            }
            if group.count == 1, outcome.failedAlone {
                try setAside(discarded, in: partition)
                refusals.merge(discarded.errors) { $1 }
                repetitions = 0
                continue
            }
            groups += Self.halves(of: discarded.refused)
            repetitions += group.count == 1 ? 1 : 0
            guard repetitions <= Self.maximumRepetitions else {
                throw StateError(
                    .publication, "a refused row never became the only outstanding publication of \(partition.name)")
            }
        }
        return refusals
    }

    /// The maximum number of consecutive single-row publications without a row that is refused on its own. If there are
    /// more, the merge fails and is retried.
    private static var maximumRepetitions: Int { 100 }

    private static func halves(of rows: [RowKey: [UInt8]?]) -> [[RowKey: [UInt8]?]] {
        let half = rows.count / 2
        let parts = [Array(rows.prefix(half)), Array(rows.dropFirst(half))]
        return parts.filter { !$0.isEmpty }.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) }
    }

    private func setAside(_ discarded: Partition.Discarded, in partition: Partition) throws {
        for (key, error) in discarded.errors {
            let encoded = discarded.refused[key] ?? nil
            let isNew = partition.setAside(encoded, of: key, error, at: clocks.wallMilliseconds())
            if let isNew, let encoded {
                if isNew { report(error, key: key.bytes, bytes: encoded.count, in: partition.name) }
                try parts().database.store.keep([key.bytes: encoded], of: partition.name, joinedBy: model.join)
            }
            noteRefused(error, in: partition.name)
        }
    }

    /// Retries refused rows one at a time, because a topic setting may have changed.
    func publishRefused(of place: KafkaTopicPartition) async throws {
        let partition = try partition(place)
        // Limit the number of rows, so that other pending rows do not wait long.
        for _ in 0..<20 {
            guard let row = try partition.dueRefused(at: clocks.wallMilliseconds()) else { return }
            // As in a merge, derived updates are published first, because the next owner of the partition could not
            // tell from the topic that they are missing.
            if !model.derivedUpdates(of: row.joined).isEmpty {
                _ = try await publishDerived(of: [row.joined], in: place.topic)
            }
            let delivery = try partition.publishAgain(
                [RowKey(row.key): row.encoded], at: clocks.wallMilliseconds())
            guard let offset = try await settle([delivery]) else { continue }
            metrics.republished.increment()
            if await !progress.wait(for: offset + 1, of: place) { throw CancellationError() }
        }
    }

    /// Publishes an operator event about a row that has not been refused with this content before.
    private func report(_ error: KafkaError, key: [UInt8], bytes: Int, in place: KafkaTopicPartition) {
        events?.publish(
            .stateRowRefused, subject: String(decoding: key.prefix(256), as: UTF8.self),
            data: [
                "topic": .text(place.topic.rawValue), "partition": .integer(Int64(place.partition.rawValue)),
                "reason": .text(error.code.isTooLarge ? "too_large" : "refused"), "bytes": .integer(Int64(bytes)),
            ])
    }

    private func noteRefused(_ error: KafkaError, in place: KafkaTopicPartition) {
        guard !error.code.isTooLarge else {
            metrics.oversized.increment()
            return frequent.log(
                .error, key: "oversized",
                "state row exceeds the message size limit; the topic keeps its previous value", place.logFields)
        }
        metrics.refused.increment()
        frequent.log(
            .error, key: "refused", "brokers refused a state row; the topic keeps its previous value",
            place.logFields + [LogField(.error, error.message)])
    }
}

extension KeyedState.Merged {
    mutating func noteRefusals(of deliveries: [StateDelivery]) {
        for delivery in deliveries { refusals.merge(delivery.refusals ?? [:]) { one, _ in one } }
    }

    /// Marks the records of refused rows as faulty.
    mutating func refuse(_ states: [KeyedState.State], _ model: Model) {
        guard !refusals.isEmpty else { return }
        for index in states.indices where faults[index] == nil {
            faults[index] = refusals[RowKey(model.key(of: states[index]))].map { RowRefusal($0) }
        }
        changed.removeAll { refusals[RowKey(model.key(of: $0))] != nil }
    }
}

internal import Kafka
internal import PipelineRuntime
internal import Telemetry
internal import Time

/// Rows that the brokers refuse hold nothing else up: they are kept in the file, tried again each minute, and the records
/// that brought them are dead-lettered, so that nothing of them is in this file alone.
extension KeyedState {
    /// Settles publications that were not acknowledged.
    ///
    /// - Parameter isReadBack: a contribution or a proposal, whose caller is told.
    /// - Returns: a failure that the same call may overcome later.
    func settle(
        _ failures: [UInt64: KafkaError], of delivery: StateDelivery, isReadBack: Bool
    ) async throws -> KafkaError? {
        let partition = try partition(delivery.partition)
        let discarded = partition.discard(failures)
        if isReadBack { return failures.values.first }
        if let failure = failures.values.first(where: { !$0.code.isRefusal }) { return failure }
        // Two batches wait for one delivery when they have changed one key: the first of them resolves it.
        if discarded.refused.isEmpty { return delivery.refusals == nil ? failures.values.first : nil }
        let refusals: [RowKey: KafkaError]
        if delivery.count == 1 {
            try setAside(discarded, in: partition)
            refusals = discarded.errors
        } else {
            refusals = try await publishAgain(discarded.refused, in: partition)
        }
        delivery.resolve(refusals)
        return nil
    }

    /// Publishes refused rows in halves, until those are alone that are refused alone.
    ///
    /// - Returns: these, by key.
    private func publishAgain(
        _ rows: [RowKey: [UInt8]?], in partition: Partition
    ) async throws -> [RowKey: KafkaError] {
        var refusals: [RowKey: KafkaError] = [:]
        var groups = Self.halves(of: rows)
        while let group = groups.popLast() {
            let delivery = try partition.publishAgain(group, at: clocks.wallMilliseconds())
            let outcome = try await delivery.outcome()
            _ = try noteAcknowledged(outcome, of: delivery)
            let discarded = partition.discard(outcome.failures)
            if let failure = outcome.failures.values.first(where: { !$0.code.isRefusal }) {
                throw StateError(.publication, "a publication was not acknowledged: \(failure.message)")
            }
            if group.count == 1 {
                try setAside(discarded, in: partition)
                refusals.merge(discarded.errors) { $1 }
            } else {
                groups += Self.halves(of: discarded.refused)
            }
        }
        return refusals
    }

    private static func halves(of rows: [RowKey: [UInt8]?]) -> [[RowKey: [UInt8]?]] {
        let half = rows.count / 2
        let parts = [Array(rows.prefix(half)), Array(rows.dropFirst(half))]
        return parts.filter { !$0.isEmpty }.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) }
    }

    private func setAside(_ discarded: Partition.Discarded, in partition: Partition) throws {
        for (key, error) in discarded.errors {
            let encoded = discarded.refused[key] ?? nil
            let kept = partition.setAside(encoded, of: key, error, at: clocks.wallMilliseconds())
            if kept != nil, let encoded {
                try parts().store.keep([key.bytes: encoded], of: partition.name, joinedBy: model.join)
            }
            noteRefused(error, in: partition.name)
        }
    }

    /// Tries again, one at a time, rows that were set aside: a setting of the topic may have changed.
    func publishRefused(of place: KafkaTopicPartition) async throws {
        let partition = try partition(place)
        // So many in a row that what is due for others does not wait long.
        for _ in 0..<20 {
            guard let delivery = try partition.publishRefused(at: clocks.wallMilliseconds()) else { return }
            guard let offset = try await settle([delivery]) else { continue }
            metrics.republished.increment()
            if await !progress.wait(for: offset + 1, of: place) { throw CancellationError() }
        }
    }

    private func noteRefused(_ error: KafkaError, in place: KafkaTopicPartition) {
        guard !error.code.isTooLarge else {
            metrics.oversized.increment()
            return frequent.log(
                .error, key: "oversized", "a row is too large to publish: its last value stays", place.logFields)
        }
        metrics.refused.increment()
        frequent.log(
            .error, key: "refused", "the brokers refuse a row: its last value stays",
            place.logFields + [LogField(.error, error.message)])
    }
}

extension KeyedState.Merged {
    mutating func noteRefusals(of deliveries: [StateDelivery]) {
        for delivery in deliveries { refusals.merge(delivery.refusals ?? [:]) { one, _ in one } }
    }

    /// The records of refused rows cannot be done.
    mutating func refuse(_ states: [KeyedState.State], _ model: Model) {
        guard !refusals.isEmpty else { return }
        for index in states.indices where faults[index] == nil {
            faults[index] = refusals[RowKey(model.key(of: states[index]))].map { RowRefusal($0) }
        }
        changed.removeAll { refusals[RowKey(model.key(of: $0))] != nil }
    }
}

public import Kafka
internal import PipelineRuntime
internal import Telemetry
internal import Time

extension KeyedState {
    /// What a merge did.
    public struct Merged: Sendable {
        /// The states that changed.
        public var changed: [State] = []
        /// How many were older than what was known.
        public var late = 0
        /// By position in the batch: what could not be merged, and a ``RowRefusal`` for what could not be published.
        public var faults: [Int: any Error] = [:]
        /// Keys whose rows, or whose derived updates, the brokers refuse.
        var refusals: [RowKey: KafkaError] = [:]
    }

    /// Merges states into their rows and returns when what changed is published and acknowledged, or refused for good.
    ///
    /// - Parameter input: the topic from which they come.
    /// - Throws: a ``StateError``: nothing is lost, the same call may be made again.
    public func merge(_ states: [State], from input: KafkaTopic) async throws -> Merged {
        guard let topic = options.topics[input] else { throw StateError(.changelog, "no state topic for \(input)") }
        do {
            var (merged, deliveries) = try await merge(states, in: topic, ancestors: [])
            try await settle(deliveries)
            merged.noteRefusals(of: deliveries)
            try await boundOverlay(deliveries)
            merged.refuse(states, model)
            return merged
        } catch let error as StateError {
            fail(error)
            throw error
        }
    }

    /// Adds to the row of a key what comes from no input topic: published first, and answered when it was read back.
    /// Any member that follows the key's partition may do it.
    ///
    /// - Parameters:
    ///   - input: the topic whose state this is.
    ///   - empty: what is known of a key without a row, to make one; nil: such a key is left alone.
    ///   - contribution: what to merge, made of what is known; nil for nothing.
    /// - Returns: the state afterwards; nil when there is no such row.
    public func contribute(
        to key: [UInt8], from input: KafkaTopic, orTo empty: State? = nil,
        _ contribution: @Sendable (State) throws -> State?
    ) async throws -> State? {
        guard let topic = options.topics[input] else { throw StateError(.changelog, "no state topic for \(input)") }
        let partition = try followed(place(of: key, in: topic))
        let row = try partition.known(key)
        guard let known = row ?? empty else { return nil }
        guard let other = try contribution(known) else { return row }
        let (merged, deliveries) = try await merge([other], in: topic, ancestors: [])
        if let fault = merged.faults[0] { throw fault }
        try await settle(deliveries, isReadBack: true)
        return try partition.known(key)
    }

    /// The proposal that has won.
    public struct StandingProposal: Sendable, Equatable {
        public let value: [UInt8]
        /// Of the record that first held it.
        public let offset: Int64
        /// Whether it is what this call proposed.
        public let isOwn: Bool
    }

    /// Proposes something that exists once, such as the body of a request that has effects outside: of all proposals for
    /// a key, by any member, the first in the log wins. Where a key has one decision after another, a proposal of a later
    /// ``StateModel/round(of:in:)`` goes before an earlier one. Act only on the proposal that has won.
    ///
    /// The state's topic should have a `min.compaction.lag.ms` of a day: compaction keeps the last record of a key, and
    /// the owner publishes the winning proposal again after a later one.
    ///
    /// - Parameters:
    ///   - state: merged into the row of the key, which need not exist.
    ///   - input: the topic whose state this is.
    /// - Returns: the proposal that has won, permanently, once everything in front of one's own was read.
    public func propose(
        _ proposal: [UInt8], for state: State, in input: KafkaTopic
    ) async throws -> StandingProposal {
        guard let topic = options.topics[input] else { throw StateError(.changelog, "no state topic for \(input)") }
        let key = model.key(of: state)
        let partition = try followed(place(of: key, in: topic))
        var offset: Int64?
        if let delivery = try partition.propose(proposal, for: state, at: clocks.wallMilliseconds()) {
            offset = try await settle([delivery], isReadBack: true)
        }
        guard let standing = try partition.proposal(of: key) else {
            throw StateError(.publication, "the proposal was not published")
        }
        return StandingProposal(value: standing.value, offset: standing.offset, isOwn: standing.offset == offset)
    }

    /// The winning proposal for a key as far as the topic was read; nil for none.
    public func proposal(of key: [UInt8], in input: KafkaTopic) throws -> StandingProposal? {
        guard let topic = options.topics[input] else { throw StateError(.changelog, "no state topic for \(input)") }
        return try followed(place(of: key, in: topic)).proposal(of: key).map {
            StandingProposal(value: $0.value, offset: $0.offset, isOwn: false)
        }
    }

    /// Rows of the partitions that this member owns whose ``StateModel/deadline(of:)`` is not after a moment, by deadline.
    ///
    /// - Parameters:
    ///   - moment: milliseconds since 1970.
    ///   - topic: only rows of this one of the state's topics; nil for all.
    ///   - keys: only rows with these keys, so that many rows of one kind do not hide those of another.
    public func dueRows(
        upTo moment: Int64, in topic: KafkaTopic? = nil, keys: StateKeys = .all, atMost limit: Int
    ) throws -> [State] {
        let parts = try parts()
        var found: [(deadline: Int64, state: State)] = []
        for partition in parts.partitions.values where partition.isOwned {
            guard topic == nil || topic == partition.name.topic else { continue }
            for (_, key) in try parts.rows.deadlines(of: partition.name, upTo: moment, keys: keys, atMost: limit) {
                // What was published and not read back may be done already.
                guard let state = try partition.known(key), let deadline = model.deadline(of: state),
                    deadline <= moment
                else { continue }
                found.append((deadline, state))
            }
        }
        return found.sorted { $0.deadline < $1.deadline }.prefix(limit).map(\.state)
    }

    private func followed(_ place: KafkaTopicPartition) throws(StateError) -> Partition {
        guard withRunning({ $0.followed[place] }) != nil else {
            throw StateError(.changelog, "this member does not follow \(place)")
        }
        return try partition(place)
    }

    // MARK: Merging

    /// Merges states into rows of a topic. What they say about other keys is published and acknowledged first, so that a
    /// crash in between is repeated from the input.
    ///
    /// - Parameter ancestors: the keys whose derived updates these are.
    private func merge(
        _ states: [State], in topic: KafkaTopic, ancestors: Set<[UInt8]>
    ) async throws -> (Merged, [StateDelivery]) {
        var merged = Merged()
        var deliveries: [StateDelivery] = []
        let keys = states.map { RowKey(model.key(of: $0)) }
        let count = try parts().partitionCounts[topic] ?? 1
        let groups = Dictionary(grouping: states.indices) { KafkaPartition(ofKey: keys[$0].bytes, partitions: count) }
        for (number, indices) in groups {
            let partition = try partition(KafkaTopicPartition(topic: topic, partition: number))
            let (batch, batchKeys) = (indices.map { states[$0] }, indices.map { keys[$0] })
            let now = clocks.wallMilliseconds()
            let derivation: Partition.Derivation = ancestors.isEmpty ? .first : .firstOfAll
            var step = try await computing.with { try partition.merge(batch, keys: batchKeys, at: now, derivation) }
            for (index, fault) in step.faults { merged.faults[indices[index]] = fault }
            merged.late += step.late
            while true {
                merged.changed += step.changed
                deliveries += step.deliveries
                let deferred = step.deferred.filter { !ancestors.contains(model.key(of: $0)) }
                guard !deferred.isEmpty else { break }
                let (roots, refusals) = try await publishDerived(of: deferred, in: topic, ancestors)
                merged.refusals.merge(refusals) { one, _ in one }
                // Records of others may have changed what the rows say meanwhile.
                step = try await computing.with { try partition.merge(roots, at: now, .published) }
            }
        }
        return (merged, deliveries)
    }

    /// Publishes the updates that rows derive for other keys, and returns when they are acknowledged.
    ///
    /// - Returns: the states whose updates are published, and the keys of roots with a refused update.
    func publishDerived(
        of roots: [State], in topic: KafkaTopic, _ ancestors: Set<[UInt8]> = []
    ) async throws -> (roots: [State], refusals: [RowKey: KafkaError]) {
        var refusals: [RowKey: KafkaError] = [:]
        var (last, next) = (roots, roots)
        // What they lead to may say something about themselves; each round only adds.
        for _ in 0..<8 {
            last = next
            let keys = last.map(model.key(of:))
            let derived = last.flatMap(model.derivedUpdates(of:))
            var (merged, deliveries) = try await merge(derived, in: topic, ancestors: ancestors.union(keys))
            try await settle(deliveries)
            merged.noteRefusals(of: deliveries)
            for root in last {
                let updates = model.derivedUpdates(of: root).map { RowKey(model.key(of: $0)) }
                guard let refused = updates.first(where: { merged.refusals[$0] != nil }) else { continue }
                refusals[RowKey(model.key(of: root))] = merged.refusals[refused]
            }
            next = try keys.compactMap { try partition(place(of: $0, in: topic)).known($0) }
            if next == last { break }
        }
        return (last, refusals)
    }

    // MARK: Acknowledgement

    /// Waits until publications are acknowledged, and if wanted until they were read back. Rows that the brokers refuse
    /// are set aside and named by ``StateDelivery/refusals``, unless they are to be read back.
    ///
    /// - Returns: the greatest offset.
    @discardableResult
    func settle(_ deliveries: [StateDelivery], isReadBack: Bool = false) async throws -> Int64? {
        var failure: KafkaError?
        var greatest: Int64?
        for delivery in deliveries {
            let outcome = try await delivery.outcome()
            if !outcome.failures.isEmpty {
                failure = try await settle(outcome.failures, of: delivery, isReadBack: isReadBack) ?? failure
            }
            guard let offset = try noteAcknowledged(outcome, of: delivery) else { continue }
            greatest = max(greatest ?? -1, offset)
            guard isReadBack, await !progress.wait(for: offset + 1, of: delivery.partition) else { continue }
            guard progress.isFollowed(delivery.partition) else {
                throw StateError(.changelog, "this member no longer follows \(delivery.partition)")
            }
            throw CancellationError()
        }
        if let failure { throw StateError(.publication, "a publication was not acknowledged: \(failure.message)") }
        return greatest
    }

    /// - Returns: the greatest offset.
    func noteAcknowledged(_ outcome: StateDelivery.Outcome, of delivery: StateDelivery) throws -> Int64? {
        guard let offset = outcome.offset else { return nil }
        metrics.published.increment(by: UInt64(clamping: outcome.acknowledged))
        if !progress.isFollowed(delivery.partition) { try partition(delivery.partition).releaseAcknowledged() }
        // The lag counts what is published before the brokers tell of it.
        withRunning { running in
            let end = running.ends[delivery.partition] ?? 0
            running.ends[delivery.partition] = max(end, offset + 1)
        }
        return offset
    }

    /// Lets the reader catch up, so that what is published and not read back stays bounded. What belongs to a partition
    /// that this member does not follow is never read back.
    private func boundOverlay(_ deliveries: [StateDelivery]) async throws {
        for delivery in deliveries {
            guard let offset = try await delivery.outcome().offset else { continue }
            let next = offset + 1 - Self.maximumOverlay
            guard await !progress.wait(for: next, of: delivery.partition) else { continue }
            if progress.isFollowed(delivery.partition) { throw CancellationError() }
        }
    }

    /// Records of a partition that are published and not read back, when the next batch is merged.
    private static var maximumOverlay: Int64 { 64 }
}

public import Kafka
internal import PipelineRuntime
internal import Primitives
internal import Telemetry

extension KeyedState {
    /// The result of a merge.
    public struct Merged: Sendable {
        /// The states that changed.
        public var changed: [State] = []
        /// The number of merged states that were older than the current ones.
        public var late = 0
        /// Errors by index in the batch: the model's error if a state cannot be merged, or a ``RowRefusal`` if a row
        /// cannot be published.
        public var faults: [Int: any Error] = [:]
        /// Errors, by key, for rows that the brokers refuse and for rows whose derived updates they refuse.
        var refusals: [RowKey: KafkaError] = [:]
    }

    /// Merges states into their rows, and returns once all changes have been published and acknowledged, or permanently
    /// refused.
    ///
    /// - Parameter input: the topic that the states come from.
    /// - Throws: a ``StateError``; nothing is lost, and the same call may be retried.
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

    /// Merges into a key's row a state that was not read from an input topic, and returns once the row has been
    /// published and read back, even if the state adds nothing to a row that is still being published. Any member that
    /// follows the key's partition may call this.
    ///
    /// - Parameters:
    ///   - input: the input topic that this state belongs to.
    ///   - empty: the initial state if the key has no row; if nil, a key without a row is left unchanged.
    ///   - contribution: returns the state to merge, given the current one, or nil to merge nothing.
    /// - Returns: the state after the merge; nil if the key has no row.
    public func contribute(
        to key: [UInt8], from input: KafkaTopic, orTo empty: State? = nil,
        _ contribution: @Sendable (State) throws -> State?
    ) async throws -> State? {
        guard let topic = options.topics[input] else { throw StateError(.changelog, "no state topic for \(input)") }
        let partition = try followed(place(of: key, in: topic))
        let row = try partition.known(key)
        guard let known = row ?? empty else { return nil }
        var deliveries: [StateDelivery] = []
        if let other = try contribution(known) {
            let (merged, published) = try await merge([other], in: topic, ancestors: [])
            if let fault = merged.faults[0] { throw fault }
            deliveries = published
        }
        try await settle(deliveries, isReadBack: true)
        // The contribution may add nothing to facts that were published earlier. Until these are read back, brokers may
        // still refuse them, and readers of the database do not see them.
        if let last = try partition.unreadPublication(of: key) {
            try await waitForReadBack(last.number, of: last.delivery)
        }
        return try partition.known(key)
    }

    /// Waits until a publication of another task has been read back. That task settles and counts the delivery, which
    /// may contain rows of other keys.
    private func waitForReadBack(_ number: UInt64, of delivery: StateDelivery) async throws {
        let outcome = try await delivery.outcome()
        if let failure = outcome.failures[number] {
            throw StateError(.publication, "a publication was not acknowledged: \(failure.message)")
        }
        guard let offset = outcome.offset, await !progress.wait(for: offset + 1, of: delivery.partition) else { return }
        guard progress.isFollowed(delivery.partition) else {
            throw StateError(.changelog, "this member no longer follows \(delivery.partition)")
        }
        throw CancellationError()
    }

    /// The winning proposal for a key.
    public struct StandingProposal: Sendable, Equatable {
        public let value: [UInt8]
        /// The offset of the first record that contained the proposal.
        public let offset: Int64
        /// Whether this call made the proposal.
        public let isOwn: Bool
    }

    /// Proposes a decision that is made only once, such as the body of a request with external effects. The first
    /// proposal in the log for a key wins, whichever member made it. If a key has a sequence of decisions, a
    /// proposal for a later ``StateModel/round(of:in:)`` takes precedence over one for an earlier round. Act only on
    /// the winning proposal.
    ///
    /// Set `min.compaction.lag.ms` to a day for the state's topic. Compaction keeps only the last record of a key, and
    /// the owner needs time to republish the winning proposal after a later one.
    ///
    /// - Parameters:
    ///   - state: merged into the key's row, which need not exist yet.
    ///   - input: the input topic that this state belongs to.
    /// - Returns: the winning proposal. It is final, because everything before this call's own record has been read.
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

    /// Returns the winning proposal for a key, as far as the topic has been read; nil if there is none.
    public func proposal(of key: [UInt8], in input: KafkaTopic) throws -> StandingProposal? {
        guard let topic = options.topics[input] else { throw StateError(.changelog, "no state topic for \(input)") }
        return try followed(place(of: key, in: topic)).proposal(of: key).map {
            StandingProposal(value: $0.value, offset: $0.offset, isOwn: false)
        }
    }

    /// Returns rows that have a ``StateModel/deadline(of:)`` at or before a moment, in owned partitions, sorted by
    /// deadline.
    ///
    /// - Parameters:
    ///   - moment: milliseconds since 1970.
    ///   - topic: limits the result to this topic of the state; nil means all topics.
    ///   - keys: limits the result to these keys, so that many rows of one kind do not crowd out rows of another.
    public func dueRows(
        upTo moment: Int64, in topic: KafkaTopic? = nil, keys: StateKeys = .all, atMost limit: Int
    ) throws -> [State] {
        let parts = try parts()
        var found: [(deadline: Int64, state: State)] = []
        for partition in parts.partitions.values where partition.isOwned {
            guard topic == nil || topic == partition.name.topic else { continue }
            let rows = parts.database.rows
            for (_, key) in try rows.deadlines(of: partition.name, upTo: moment, keys: keys, atMost: limit) {
                // A publication that has not been read back yet may already have completed the work.
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

    /// Merges states into rows of a topic. Their derived updates for other keys are published and acknowledged first.
    /// After a crash in between, the input is read again and the updates are published again.
    ///
    /// - Parameter ancestors: the keys that these states were derived from.
    private func merge(
        _ states: [State], in topic: KafkaTopic, ancestors: Set<[UInt8]>
    ) async throws -> (Merged, [StateDelivery]) {
        var merged = Merged()
        var deliveries: [StateDelivery] = []
        // Iterate by index: iterating over values of a generic type allocates memory for each.
        let keys = states.indices.map { RowKey(model.key(of: states[$0])) }
        let count = try parts().changelog.partitionCounts[topic] ?? 1
        let groups = Dictionary(grouping: states.indices) { KafkaPartition(ofKey: keys[$0].bytes, partitions: count) }
        for (number, indices) in groups {
            let partition = try partition(KafkaTopicPartition(topic: topic, partition: number))
            let (batch, batchKeys) = (indices.map { states[$0] }, indices.map { keys[$0] })
            let now = clocks.wallMilliseconds()
            let derivation: Partition.Derivation = ancestors.isEmpty ? .first : .firstOfAll
            var step = try await computing.with {
                try partition.merge(batch, keys: batchKeys, at: now, derivation, ancestors: ancestors)
            }
            for (index, fault) in step.faults { merged.faults[indices[index]] = fault }
            merged.late += step.late
            let mergeable = batch.indices.filter { step.faults[$0] == nil }
            while true {
                merged.changed += step.changed
                deliveries += step.deliveries
                let deferred = step.deferred.filter { !ancestors.contains(model.key(of: $0)) }
                guard !deferred.isEmpty else { break }
                let (roots, refusals) = try await publishDerived(of: deferred, in: topic, ancestors)
                merged.refusals.merge(refusals) { one, _ in one }
                // Other members' records may have changed the derived updates in the meantime. A refused publication or
                // a revocation may have discarded the changes to these rows, so the states are merged again.
                let waiting = Set(deferred.map { RowKey(model.key(of: $0)) })
                let repeated = roots + mergeable.filter { waiting.contains(batchKeys[$0]) }.map { batch[$0] }
                let repeatedKeys = repeated.map { RowKey(model.key(of: $0)) }
                // Roots may derive updates for each other, and brokers may refuse some of them.
                let others = roots.count > 1 ? ancestors.union(roots.map(model.key(of:))) : ancestors
                step = try await computing.with {
                    try partition.merge(repeated, keys: repeatedKeys, at: now, .published, ancestors: others)
                }
            }
        }
        return (merged, deliveries)
    }

    /// Publishes the updates that rows derive for other keys, and returns once the updates are acknowledged.
    ///
    /// - Returns: the states of the roots whose derived updates have been published and, by key, the errors for roots
    ///   with a refused update.
    func publishDerived(
        of roots: [State], in topic: KafkaTopic, _ ancestors: Set<[UInt8]> = []
    ) async throws -> (roots: [State], refusals: [RowKey: KafkaError]) {
        var refusals: [RowKey: KafkaError] = [:]
        var (last, next) = (roots, roots)
        // A derived update may in turn derive an update for one of the roots, which may then derive more. Repeat until
        // the roots no longer change. A few rounds suffice, because updates only add facts.
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
        for key in last.map(model.key(of:)) {
            try partition(place(of: key, in: topic)).noteUpdates(
                of: key, areRefused: refusals[RowKey(key)] != nil, at: clocks.wallMilliseconds())
        }
        return (last, refusals)
    }

    // MARK: Acknowledgement

    /// Waits until publications are acknowledged and, if requested, read back. Rows that the brokers refuse and that
    /// need not be read back are kept for a later attempt and listed in ``StateDelivery/refusals``.
    ///
    /// - Returns: the highest acknowledged offset, or nil if nothing was acknowledged.
    @discardableResult
    func settle(_ deliveries: [StateDelivery], isReadBack: Bool = false) async throws -> Int64? {
        var failure: KafkaError?
        var greatest: Int64?
        for delivery in deliveries {
            let outcome = try await delivery.outcome()
            if !outcome.failures.isEmpty {
                failure = try await settle(outcome, of: delivery, isReadBack: isReadBack) ?? failure
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

    /// Counts acknowledged publications and updates the end offset of their partition.
    ///
    /// - Returns: the highest acknowledged offset, or nil if nothing was acknowledged.
    func noteAcknowledged(_ outcome: StateDelivery.Outcome, of delivery: StateDelivery) throws -> Int64? {
        guard let offset = outcome.offset else { return nil }
        metrics.published.increment(by: UInt64(clamping: outcome.acknowledged))
        if !progress.isFollowed(delivery.partition) { try partition(delivery.partition).releaseAcknowledged() }
        // Update the end offset now, so that the lag includes these publications before a broker reports the new end
        // offset.
        withRunning { running in
            let end = running.ends[delivery.partition] ?? 0
            running.ends[delivery.partition] = max(end, offset + 1)
        }
        return offset
    }

    /// Waits until nearly all publications have been read back, because this member keeps each publication in memory
    /// until then. Does not wait for partitions that this member does not follow, because their publications are never
    /// read back.
    private func boundOverlay(_ deliveries: [StateDelivery]) async throws {
        for delivery in deliveries {
            guard let offset = try await delivery.outcome().offset else { continue }
            let next = offset + 1 - Self.maximumOverlay
            guard await !progress.wait(for: next, of: delivery.partition) else { continue }
            if progress.isFollowed(delivery.partition) { throw CancellationError() }
        }
    }

    /// Maximum number of records per partition that are published but not yet read back when the next batch is merged.
    private static var maximumOverlay: Int64 { 64 }
}

internal import Kafka

/// Merges states into rows and publishes the changes.
extension StatePartition {
    struct Merge {
        /// The states of the rows that changed.
        var changed: [State] = []
        var late = 0
        /// Errors, by index in the batch, for states that cannot be merged.
        var faults: [Int: any Error] = [:]
        /// States with derived updates that must be published before the states themselves.
        var deferred: [State] = []
        /// Deliveries to wait for: those of this merge, and earlier ones for the same keys.
        var deliveries: [StateDelivery] = []
    }

    /// When to publish the updates that merged rows derive for other keys.
    enum Derivation {
        /// Changed rows with derived updates are deferred.
        case first
        /// Unchanged rows are deferred, too: a member may have died after publishing such a row but before publishing
        /// the updates derived from it.
        case firstOfAll
        /// The updates of the merged states have been published; rows with different derived updates are deferred.
        case published
        /// The caller publishes the updates afterwards.
        case later
    }

    /// Merges states into the current states of their keys, and publishes the changes.
    ///
    /// - Parameter now: milliseconds since 1970.
    func merge(_ states: [State], at now: Int64, _ derivation: Derivation = .first) throws -> Merge {
        try merge(states, keys: states.map { RowKey(model.key(of: $0)) }, at: now, derivation)
    }

    /// Merges states whose keys have already been computed.
    ///
    /// - Parameters:
    ///   - keys: the key of each state.
    ///   - ancestors: the keys of the rows that these states were derived from, and of other rows that have derived
    ///     updates and are published with these states.
    func merge(
        _ states: [State], keys: [RowKey], at now: Int64, _ derivation: Derivation = .first,
        ancestors: Set<[UInt8]> = []
    ) throws -> Merge {
        try withLock { guarded in
            try requireUnblocked(guarded)
            var merge = Merge()
            var touched: [Entry] = []
            touched.reserveCapacity(states.count)
            try load(keys, &guarded)
            // Iterate by index, here and below: iterating over values of a generic type allocates memory for each.
            for index in keys.indices {
                let entry = entry(of: keys[index], &guarded)
                do {
                    if try entry.state.merged(states[index], by: model).isLate { merge.late += 1 }
                    if !entry.isTouched {
                        entry.isTouched = true
                        touched.append(entry)
                    }
                } catch {
                    merge.faults[index] = error
                }
            }
            merge.changed.reserveCapacity(touched.count)
            let delivery = StateDelivery(name)
            for index in touched.indices {
                let entry = touched[index]
                entry.isTouched = false
                let isPublishable = entry.state.isUnpublished || becomesPending(entry, derivation, guarded)
                guard isPublishable, let current = entry.state.current else {
                    include(entry, &merge.deliveries)
                    if derivation == .firstOfAll { merge.deferred += derivingState(of: entry) }
                    continue
                }
                if isDeferred(current.value, derivation, of: states) {
                    merge.deferred.append(current.value)
                    continue
                }
                merge.changed.append(current.value)
                // Ancestors are published later than these rows, or together with them.
                let isPending = !ancestors.isEmpty && derives(current.value, forAnyOf: ancestors, &guarded)
                send(entry, delivery, at: now, &guarded, isPending: isPending)
            }
            delivery.seal()
            if !merge.changed.isEmpty { merge.deliveries.append(delivery) }
            guarded.cache.sweep(to: maximumBytes)
            return merge
        }
    }

    /// Returns whether the updates derived from a changed row must be published before the row.
    private func isDeferred(_ state: State, _ derivation: Derivation, of merged: [State]) -> Bool {
        guard derivation != .later else { return false }
        let updates = model.derivedUpdates(of: state)
        guard derivation == .published, !updates.isEmpty else { return !updates.isEmpty }
        let key = model.key(of: state)
        return !merged.contains { model.key(of: $0) == key && model.derivedUpdates(of: $0) == updates }
    }

    /// Returns whether an unchanged row must be published as pending because brokers refuse an update derived from it.
    private func becomesPending(_ entry: Entry, _ derivation: Derivation, _ guarded: Guarded) -> Bool {
        derivation == .published && areUpdatesRefused(of: entry, guarded) && entry.state.publications.isEmpty
            && !entry.state.image.isBehind
    }

    /// Returns the state of an entry if updates are derived from it; otherwise, returns an empty array.
    func derivingState(of entry: Entry) -> [State] {
        guard let state = entry.state.current?.value, !model.derivedUpdates(of: state).isEmpty else { return [] }
        return [state]
    }

    /// Adds the delivery of an earlier, unacknowledged publication of the key to the deliveries to wait for.
    private func include(_ entry: Entry, _ deliveries: inout [StateDelivery]) {
        guard let last = entry.state.publications.last?.delivery, !last.isAcknowledged,
            !deliveries.contains(where: { $0 === last })
        else { return }
        deliveries.append(last)
    }

    /// Returns a key's last publication that has not been read back; nil if there is none.
    func unreadPublication(of key: [UInt8]) throws -> (number: UInt64, delivery: StateDelivery)? {
        try withLock { guarded in
            try find(key, &guarded)?.state.publications.last.map { ($0.number, $0.delivery) }
        }
    }

    /// Publishes a proposal with the state of its key, unless a proposal for the same or a later round has already won.
    ///
    /// - Returns: nil if such a proposal has already won.
    func propose(_ proposal: [UInt8], for state: State, at now: Int64) throws -> StateDelivery? {
        try withLock { guarded in
            try requireUnblocked(guarded)
            let entry = try findOrMake(model.key(of: state), &guarded)
            if let winner = entry.state.image.proposal {
                var joined = entry.state.current?.value ?? state
                _ = try model.merge(state, into: &joined)
                if model.round(of: proposal, in: joined) <= model.round(of: winner.value, in: joined) { return nil }
            }
            _ = try entry.state.merged(state, by: model)
            let delivery = StateDelivery(name)
            let isPending = !derivingState(of: entry).isEmpty
            sendState(of: entry, delivery, at: now, &guarded, proposal: proposal, isPending: isPending)
            delivery.seal()
            return delivery
        }
    }
}

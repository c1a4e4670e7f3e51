internal import Kafka

/// Publishes the current state of rows.
extension StatePartition {
    /// Republishes rows that have changed with time, or whose last record is incomplete or was published under other
    /// rules. Refused rows are skipped until they are retried. Rows with unpublished derived updates are skipped until
    /// the updates are published.
    ///
    /// - Parameter derived: states whose derived updates are published.
    /// - Returns: the publications; nil if no row was published.
    func republish(
        _ keys: [[UInt8]], at now: Int64, derived: [State] = []
    ) throws -> (delivery: StateDelivery, count: Int)? {
        try withLock { guarded in
            try requireUnblocked(guarded)
            let delivery = StateDelivery(name)
            let roots = Set(derived.map(model.key(of:)))
            var count = 0
            for key in keys where guarded.oversized[key] == nil && guarded.refusedRemovals[key] ?? 0 <= now {
                guard let entry = try find(key, &guarded), entry.state.publications.isEmpty,
                    let state = entry.state.current, !lacksUpdates(entry) || derived.contains(state.value)
                else { continue }
                count += 1
                let isPending = roots.count > 1 && derives(state.value, forAnyOf: roots, &guarded)
                send(entry, delivery, at: now, &guarded, isPending: isPending)
            }
            delivery.seal()
            guarded.cache.sweep(to: maximumBytes)
            return count > 0 ? (delivery, count) : nil
        }
    }

    /// Returns whether a state derives an update for one of `roots` and the topic may lack this update. Such an update
    /// is published with or after the state's row, not before it. Returns true if the updated row cannot be read.
    ///
    /// - Parameter roots: the keys of rows that are published in the same batch or later.
    func derives(_ state: State, forAnyOf roots: Set<[UInt8]>, _ guarded: inout Guarded) -> Bool {
        for update in model.derivedUpdates(of: state) {
            let key = model.key(of: update)
            guard roots.contains(key) else { continue }
            guard KafkaPartition(ofKey: key, partitions: partitionCount) == name.partition,
                let entry = try? find(key, &guarded), var row = entry.state.row?.value,
                let merge = try? model.merge(update, into: &row), !merge.isChanged
            else { return true }
        }
        return false
    }

    /// Returns the states of rows with derived updates that may still be unpublished. Such a row combines records from
    /// several members, and a member that had only its own record could not derive the updates. Refused rows are
    /// skipped, as in ``republish(_:at:derived:)``.
    func statesBehind(_ keys: [[UInt8]], at now: Int64) throws -> [State] {
        try withLock { guarded in
            var states: [State] = []
            for key in keys where guarded.oversized[key] == nil && guarded.refusedRemovals[key] == nil {
                guard guarded.refusedUpdates[key] ?? 0 <= now else { continue }
                guard let entry = try find(key, &guarded), entry.state.publications.isEmpty, lacksUpdates(entry)
                else { continue }
                states += derivingState(of: entry)
            }
            return states
        }
    }

    /// Records the result of publishing the updates derived from a row.
    ///
    /// - Parameter areRefused: whether brokers refuse an update. If so, the row is published as pending, and its
    ///   updates are retried from time to time.
    func noteUpdates(of key: [UInt8], areRefused: Bool, at now: Int64) {
        withLock { $0.refusedUpdates[key] = areRefused ? now + Self.oversizedRetry : nil }
    }

    /// Returns whether brokers refuse an update derived from a row.
    func areUpdatesRefused(of entry: Entry, _ guarded: Guarded) -> Bool {
        !guarded.refusedUpdates.isEmpty && guarded.refusedUpdates[entry.key] != nil
            && !derivingState(of: entry).isEmpty
    }

    /// Returns whether derived updates of a row may still be unpublished: the row combines facts from several members
    /// or contains unpublished changes.
    private func lacksUpdates(_ entry: Entry) -> Bool {
        (entry.state.image.isBehind || entry.state.isUnpublished) && !derivingState(of: entry).isEmpty
    }

    /// Publishes the current state of a row, or removes the row if it is no longer needed.
    ///
    /// - Parameter isPending: whether updates derived from the row may still be unpublished.
    func send(
        _ entry: Entry, _ delivery: StateDelivery, at now: Int64, _ guarded: inout Guarded, isPending: Bool = false
    ) {
        guard let state = entry.state.current?.value else { return }
        guard let expiry = model.expiry(of: state), expiry <= now else {
            return sendState(of: entry, delivery, at: now, &guarded, isPending: isPending)
        }
        let removed = [KafkaHeader(key: StateHeader.expired, text: "1")]
        send(entry, nil, delivery, &guarded, value: nil, headers: removed)
    }

    /// Publishes the current state of a row.
    ///
    /// - Parameters:
    ///   - proposal: a new proposal to publish with the state; nil means the current winner.
    ///   - isPending: whether updates derived from the row may still be unpublished.
    func sendState(
        of entry: Entry, _ delivery: StateDelivery, at now: Int64, _ guarded: inout Guarded, proposal: [UInt8]? = nil,
        isPending: Bool = false
    ) {
        guard let state = entry.state.current?.value else { return }
        let winner = entry.state.image.proposal
        let encoded = model.encode(state)
        let publication = model.publication(of: state, row: encoded, at: now)
        // The row must not be due again at the same moment, regardless of the model's value.
        let due = Self.earlier(publication.nextChange, model.expiry(of: state)).map { max($0, now + 1) }
        let isPending = isPending || areUpdatesRefused(of: entry, guarded)
        // If this member is not the owner, the owner retries the updates from now on.
        if isPending, !guarded.isOwned { guarded.refusedUpdates[entry.key] = nil }
        let image = RowImage(
            encoded: encoded, form: form, isBehind: isPending, due: due, deadline: model.deadline(of: state),
            proposal: winner, entries: model.indexEntries(of: state))
        var headers = proposal.map { [StateProposal.header($0)] } ?? winner?.headers ?? []
        if let moment = publication.moment { headers.append(KafkaHeader(key: StateHeader.moment, text: "\(moment)")) }
        if isPending {
            headers.append(KafkaHeader(key: StateHeader.pending, text: "1"))
        } else if let row = RowHeader(image, in: publication.value)?.text {
            headers.append(KafkaHeader(key: StateHeader.row, value: row))
        }
        send(entry, image, delivery, &guarded, value: publication.value, headers: headers)
    }

    static func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    private func send(
        _ entry: Entry, _ image: RowImage?, _ delivery: StateDelivery, _ guarded: inout Guarded, value: [UInt8]?,
        headers: [KafkaHeader]
    ) {
        guarded.lastNumber += 1
        let mark = RecordMark(writer: writer, number: guarded.lastNumber, form: form)
        entry.state.sent(mark.number, image: image, in: delivery)
        delivery.expect()
        outstanding.sent(mark.number)
        publish(
            KafkaProducerRecord(
                topic: name.topic, partition: name.partition, key: entry.key, value: value,
                headers: headers + CollectionOfOne(KafkaHeader(key: RecordMark.header, value: mark.text)))
        ) { [outstanding] in delivery.report(mark.number, $0, isAlone: outstanding.answered(mark.number)) }
    }
}

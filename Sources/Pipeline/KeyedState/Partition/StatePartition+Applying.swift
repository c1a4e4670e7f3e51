internal import Kafka

/// Applies the topic's records. Rows in the database change in no other way.
extension StatePartition {
    /// The changes made by a batch of records.
    struct Applied: Sendable {
        var writes: [RowWrite] = []
        /// Rows copied from their records.
        var copies = CopiedRows()
        /// Number of rows changed by other members' records.
        var changed = 0
        /// Number of records that are incomplete or outdated.
        var behind = 0
        var unreadable = 0
        /// Number of records that are not in their key's partition.
        var misplaced = 0
        /// States, by key, that were refused before but are now in the topic.
        var fitting: [[UInt8]: [UInt8]] = [:]
        /// Whether any records were published under a fingerprint other than the model's.
        var hasOtherForm = false
    }

    private enum Reading {
        case own(RecordMark)
        case state(State, form: Int64)
        case tombstone
        case unreadable
        case misplaced
    }

    /// Applies records, in ascending offset order, to the rows in memory, and returns the changes to write. Call
    /// ``committed(_:)`` before applying the next batch.
    ///
    /// - Throws: a ``StateError`` with code `newer`, `damaged` or `sqlite`; nothing is changed in that case.
    func apply(_ records: PackedRecords) throws -> Applied {
        let (copies, others) = separateCopies(records)
        var applied = try applyDecoded(others)
        applied.changed += copies.count
        applied.copies = copies
        withLock { $0.copies = copies }
        return applied
    }

    func apply(_ records: [KafkaRecord]) throws -> Applied { try apply(PackedRecords(records, of: name)) }

    private func applyDecoded(_ records: [KafkaRecord]) throws -> Applied {
        // Parse before taking the lock; this process's own records are not parsed at all.
        let readings = try records.map { try read($0, asOwn: true) }
        return try withLock { guarded in
            var applied = Applied()
            // First do everything that may fail. Afterwards, the rows of all keys are in memory.
            try load(records.compactMap { $0.key.map { RowKey($0) } }, &guarded)
            var order: [Entry] = []
            for index in records.indices {
                guard let key = records[index].key else {
                    applied.unreadable += 1
                    continue
                }
                if let entry = try apply(records[index], key, readings[index], &applied, &guarded) {
                    entry.writes += 1
                    if entry.writes == 1 { order.append(entry) }
                }
            }
            applied.writes.reserveCapacity(order.count)
            for index in order.indices {
                let entry = order[index]
                applied.writes.append(
                    RowWrite(
                        key: entry.key, id: entry.id, image: entry.state.row == nil ? nil : entry.state.image,
                        oldEntries: entry.storedEntries))
            }
            guarded.writing = order
            return applied
        }
    }

    /// Called once the writes of the last batch are committed to the database.
    ///
    /// - Parameter ids: the row ids, in the order of the writes; 0 for removed rows.
    func committed(_ ids: [Int64]) {
        withLock { guarded in
            for index in guarded.writing.indices where index < ids.count {
                let entry = guarded.writing[index]
                guarded.restored?.insert(entry.key, id: ids[index])
                entry.id = ids[index]
                entry.writes = 0
                entry.storedEntries = entry.state.row == nil ? [] : entry.state.image.entries
                if entry.state.row == nil, entry.state.current == nil, entry.state.publications.isEmpty {
                    guarded.cache.remove(RowKey(entry.key))
                }
            }
            committed(guarded.copies, ids.dropFirst(guarded.writing.count), &guarded)
            guarded.copies = CopiedRows()
            guarded.writing = []
            guarded.cache.sweep(to: guarded.isOwned ? maximumBytes : 0)
        }
    }

    /// Called before reading begins. Drops rows that were applied but not written when reading ended; their records
    /// will be applied again.
    func restart() {
        withLock { guarded in
            for (key, entry) in guarded.cache.entries where entry.writes > 0 { guarded.cache.remove(key) }
            guarded.writing = []
            guarded.copies = CopiedRows()
        }
    }

    private func read(_ record: KafkaRecord, asOwn: Bool) throws -> Reading {
        let mark = RecordMark(record)
        if asOwn, let mark, mark.writer == writer { return .own(mark) }
        guard let key = record.key else { return .unreadable }
        let partition = KafkaPartition(ofKey: key, partitions: partitionCount)
        if partition != name.partition {
            guard mark == nil else { throw PartitionCounts.moved(record, in: name, now: partition) }
            return .misplaced
        }
        let form = mark?.form ?? 0
        guard let value = record.value else {
            guard record.header(StateHeader.expired) == nil,
                let state = model.erasure(of: key, in: name.topic, at: RecordMark.moment(of: record))
            else { return .tombstone }
            return .state(state, form: form)
        }
        do {
            let state = try model.read(published: value, at: record.offset.rawValue)
            return model.key(of: state) == key ? .state(state, form: form) : .unreadable
        } catch let error as StateError where error.code == .newer {
            throw StateError(.newer, "\(name) at offset \(record.offset): \(error.message)")
        } catch {
            return .unreadable
        }
    }

    /// Applies one record.
    ///
    /// - Returns: the entry with a row to write; nil if there is none.
    private func apply(
        _ record: KafkaRecord, _ key: [UInt8], _ reading: Reading, _ applied: inout Applied, _ guarded: inout Guarded
    ) throws -> Entry? {
        let known = guarded.cache.entries[RowKey(key)]
        let effect: RowEffect
        let entry: Entry
        switch reading {
        case .own(let mark):
            guard let known, let publication = known.state.takePublication(mark.number) else {
                // The record was published before the partition was revoked, or was discarded: treat it like another
                // member's record.
                return try apply(record, key, read(record, asOwn: false), &applied, &guarded)
            }
            entry = known
            noteFit(publication, key, &applied, &guarded)
            effect = guarded.cache.change(known) { row in
                row.received(own: publication, StateProposal(record), form: form, by: model) {
                    image(of: $0, form, record)
                }
            }
        case .misplaced:
            applied.misplaced += 1
            return nil
        case .unreadable:
            guard let known else {
                applied.unreadable += 1
                return nil
            }
            entry = known
            effect = known.state.receivedUnreadable()
        case .tombstone:
            guard let known else { return nil }
            entry = known
            effect = guarded.cache.change(known) { $0.receivedTombstone() }
        case .state(let state, let form):
            entry = self.entry(of: RowKey(key), &guarded)
            let isPending = record.header(StateHeader.pending) != nil
            effect = guarded.cache.change(entry) { row in
                row.received(state, StateProposal(record), form: form, isPending: isPending, by: model) {
                    image(of: $0, form, record)
                }
            }
            if form != self.form, !effect.contains(.unreadable) { applied.hasOtherForm = true }
        }
        applied.count(effect)
        return effect.contains(.written) ? entry : nil
    }

    /// If the publication that was read back includes the refused state of its key, notes that the state is now in the
    /// topic.
    private func noteFit(
        _ publication: RowState<Model>.Publication, _ key: [UInt8], _ applied: inout Applied,
        _ guarded: inout Guarded
    ) {
        guard let oversized = guarded.oversized[key], var state = publication.state?.value,
            let kept = try? model.decode(oversized.encoded),
            (try? model.merge(kept, into: &state).isChanged) == false
        else { return }
        guarded.oversized[key] = nil
        applied.fitting[key] = oversized.encoded
    }

    private func image(of state: State, _ form: Int64, _ record: KafkaRecord) -> RowImage {
        // Computed for the time of the record, when the value was published.
        let change = model.nextChange(of: state, after: record.timestampMilliseconds ?? 0)
        return RowImage(
            encoded: model.encode(state), form: form, due: Self.earlier(change, model.expiry(of: state)),
            deadline: model.deadline(of: state), entries: model.indexEntries(of: state))
    }
}

extension StatePartition.Applied {
    fileprivate mutating func count(_ effect: RowEffect) {
        if effect.contains(.changed) { changed += 1 }
        if effect.contains(.behind) { behind += 1 }
        if effect.contains(.unreadable) { unreadable += 1 }
    }
}

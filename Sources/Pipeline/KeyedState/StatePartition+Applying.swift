internal import Kafka

/// Applying the topic: the only way in which rows change in the database.
extension StatePartition {
    /// What a batch of records changes.
    struct Applied: Sendable {
        var writes: [RowWrite] = []
        /// Rows changed by what others have published.
        var changed = 0
        /// Records that say less than what is known.
        var behind = 0
        var unreadable = 0
        /// Records that are in another partition than that of their key.
        var misplaced = 0
        /// States, by key, that were too large once, and are in the topic now.
        var fitting: [[UInt8]: [UInt8]] = [:]
        /// Some records were published by other rules.
        var hasOtherForm = false
    }

    private enum Reading {
        case own(RecordMark)
        case state(State, form: Int64)
        case tombstone
        case unreadable
        case misplaced
    }

    /// Applies records, ascending by offset, to the rows in memory, and says what to write. The next batch is applied
    /// after ``committed(_:)``.
    ///
    /// - Throws: a ``StateError`` of code `newer`, `damaged` or `sqlite`; nothing was changed then.
    func apply(_ records: [KafkaRecord]) throws -> Applied {
        // Parsed before the lock is taken; own records are not parsed at all.
        let readings = try records.map { try read($0, asOwn: true) }
        return try withLock { guarded in
            var applied = Applied()
            // Everything that may fail comes first, and the rows of all keys are in memory afterwards.
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
                        key: entry.key, id: entry.id, image: entry.row == nil ? nil : entry.image,
                        oldEntries: entry.storedEntries))
            }
            guarded.writing = order
            return applied
        }
    }

    /// The writes of the last batch are in the database.
    ///
    /// - Parameter ids: of the rows, in the order of the writes; 0 for removed ones.
    func committed(_ ids: [Int64]) {
        withLock { guarded in
            for index in guarded.writing.indices where index < ids.count {
                let entry = guarded.writing[index]
                guarded.restored?.insert(entry.key)
                entry.id = ids[index]
                entry.writes = 0
                entry.storedEntries = entry.row == nil ? [] : entry.image.entries
                if entry.row == nil, entry.current == nil, entry.publications.isEmpty {
                    guarded.entries[RowKey(entry.key)] = nil
                }
            }
            guarded.writing = []
            sweep(&guarded, to: guarded.isOwned ? maximumBytes : 0)
        }
    }

    /// Reading begins: rows that were applied and never written, because reading had ended, are applied again.
    func restart() {
        withLock { guarded in
            for (key, entry) in guarded.entries where entry.writes > 0 {
                guarded.bytes -= entry.image.encoded.count
                guarded.entries[key] = nil
            }
            guarded.writing = []
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

    /// - Returns: the entry whose row is to be written; nil for none.
    private func apply(
        _ record: KafkaRecord, _ key: [UInt8], _ reading: Reading, _ applied: inout Applied, _ guarded: inout Guarded
    ) throws -> Entry? {
        switch reading {
        case .own(let mark):
            if let entry = try applyOwn(record, key, mark, &applied, &guarded) { return entry }
            // Published before the partition was revoked, or taken back: read as another's.
            return try apply(record, key, read(record, asOwn: false), &applied, &guarded)
        case .misplaced:
            applied.misplaced += 1
            return nil
        case .unreadable:
            applied.unreadable += 1
            guard let entry = guarded.entries[RowKey(key)], entry.row != nil else { return nil }
            entry.image.isBehind = true
            applied.behind += 1
            return entry
        case .tombstone:
            guard let entry = guarded.entries[RowKey(key)], entry.row != nil else { return nil }
            replace(entry, nil, RowImage(), &guarded)
            entry.rowVersion += 1
            applied.changed += 1
            return entry
        case .state(let state, let form):
            return try apply(state, form, record, entry(of: RowKey(key), &guarded), &applied, &guarded)
        }
    }

    private func applyOwn(
        _ record: KafkaRecord, _ key: [UInt8], _ mark: RecordMark, _ applied: inout Applied, _ guarded: inout Guarded
    ) throws -> Entry? {
        guard let entry = guarded.entries[RowKey(key)], let index = entry.index(ofPublication: mark.number) else {
            return nil
        }
        let publication = entry.publications.remove(at: index)
        let isInOrder = publication.number > entry.lastRead && publication.rowVersion == entry.rowVersion
        entry.lastRead = max(entry.lastRead, publication.number)
        noteFit(publication, key, &applied, &guarded)
        guard let state = publication.state else {
            replace(entry, nil, RowImage(), &guarded)
            return entry
        }
        if isInOrder || entry.row == nil {
            replace(entry, state, publication.image, &guarded)
            if applyProposal(of: record, to: entry) { applied.behind += 1 }
        } else {
            // Others wrote in between: the record may lack what they said.
            _ = try apply(state.value, form, record, entry, &applied, &guarded)
        }
        return entry
    }

    /// A state that was too large is in the topic when something that includes it is.
    private func noteFit(
        _ publication: Entry.Publication, _ key: [UInt8], _ applied: inout Applied, _ guarded: inout Guarded
    ) {
        guard let oversized = guarded.oversized[key], var state = publication.state?.value,
            let kept = try? model.decode(oversized.encoded),
            (try? model.merge(kept, into: &state).isChanged) == false
        else { return }
        guarded.oversized[key] = nil
        applied.fitting[key] = oversized.encoded
    }

    /// Merges a state of the topic into the row.
    private func apply(
        _ state: State, _ form: Int64, _ record: KafkaRecord, _ entry: Entry, _ applied: inout Applied,
        _ guarded: inout Guarded
    ) throws -> Entry? {
        var row = state
        var isChanged = true
        if let known = entry.row {
            row = known.value
            do {
                isChanged = try model.merge(state, into: &row).isChanged
            } catch {
                applied.unreadable += 1
                applied.behind += 1
                entry.image.isBehind = true
                return entry
            }
        }
        var image = isChanged || form != entry.image.form ? self.image(of: row, form, record) : entry.image
        image.isBehind = row != state
        image.proposal = entry.image.proposal
        if isChanged {
            entry.rowVersion += 1
            applied.changed += 1
        }
        if form != self.form { applied.hasOtherForm = true }
        let pending = entry.current
        let hasMore = !entry.publications.isEmpty || entry.isUnpublished
        replace(entry, isChanged ? SharedState(row) : entry.row, image, &guarded)
        if hasMore {
            entry.current = pending
            _ = try? join(state, into: entry)
        }
        let isBehind = applyProposal(of: record, to: entry) || image.isBehind
        if isBehind { applied.behind += 1 }
        return entry
    }

    private func image(of state: State, _ form: Int64, _ record: KafkaRecord) -> RowImage {
        // What was due is due by what was published then, not by what would be now.
        let change = model.nextChange(of: state, after: record.timestampMilliseconds ?? 0)
        return RowImage(
            encoded: model.encode(state), form: form, due: Self.earlier(change, model.expiry(of: state)),
            deadline: model.deadline(of: state), entries: model.indexEntries(of: state))
    }

    private func replace(_ entry: Entry, _ row: SharedState<State>?, _ image: RowImage, _ guarded: inout Guarded) {
        guarded.bytes += image.encoded.count - entry.image.encoded.count
        let proposal = row == nil ? nil : entry.image.proposal
        entry.row = row
        entry.image = image
        entry.image.proposal = proposal
        if entry.publications.isEmpty, !entry.isUnpublished { entry.current = row }
    }

    /// Keeps the winning proposal of the key: of the latest round, and inside it the first in the log.
    ///
    /// - Returns: whether the record lacks the winner, so that the owner publishes again.
    private func applyProposal(of record: KafkaRecord, to entry: Entry) -> Bool {
        let proposal = StateProposal(record)
        guard let winner = entry.image.proposal, let state = entry.row?.value else {
            entry.image.proposal = proposal
            return false
        }
        if let proposal, model.replaces(proposal, winner, in: state) {
            entry.image.proposal = proposal
            return false
        }
        entry.image.isBehind = true
        return true
    }
}

internal import Kafka

/// Restores a database without rows. Most records are the first of their key and were published by the same rules, so
/// their rows are copied without being decoded.
extension StatePartition {
    /// Separates the records with rows that can be copied: each is the only one of its key so far.
    func separateCopies(_ records: [KafkaRecord]) -> (copies: [CopiedRow], others: [KafkaRecord]) {
        guard withLock({ $0.restored?.takesRows == true }) else { return ([], records) }
        let keys = records.map { $0.key.map { RestoredKeys.hash($0) } }
        // Keys with the same hash count as one key, so that both records are decoded.
        var counts: [UInt64: Int] = [:]
        counts.reserveCapacity(records.count)
        for key in keys { if let key { counts[key, default: 0] += 1 } }
        let isNew = withLock { guarded in
            records.indices.map { index in
                guard let key = records[index].key, let hash = keys[index], counts[hash] == 1 else { return false }
                return guarded.restored?.mayHold(hash) == false && guarded.cache.entries[RowKey(key)] == nil
            }
        }
        var (copies, others): ([CopiedRow], [KafkaRecord]) = ([], [])
        copies.reserveCapacity(records.count)
        for index in records.indices {
            guard isNew[index], let copy = copy(of: records[index]) else {
                others.append(records[index])
                continue
            }
            copies.append(copy)
        }
        return (copies, others)
    }

    /// Returns the row of a record in its key's partition that another member or run published with the current
    /// fingerprint.
    private func copy(of record: KafkaRecord) -> CopiedRow? {
        guard let key = record.key, let value = record.value, let mark = RecordMark(record), mark.form == form,
            mark.writer != writer, KafkaPartition(ofKey: key, partitions: partitionCount) == name.partition,
            case .some(let header?) = record.withHeaderValue(
                StateHeader.row, { $0.flatMap { RowHeader($0, ofValueWith: value.count) } }),
            header.matches(value)
        else { return nil }
        return CopiedRow(key: key, value: value, header: header, form: mark.form, proposal: StateProposal(record))
    }

    /// Called once copied rows are committed. Entries requested in the meantime are merged with them in memory.
    ///
    /// - Parameter ids: the ids of the rows.
    func committed(_ copies: [CopiedRow], _ ids: ArraySlice<Int64>, _ guarded: inout Guarded) {
        for (copy, id) in zip(copies, ids) {
            guarded.restored?.insert(copy.key, id: id)
            guard let entry = guarded.cache.entries[RowKey(copy.key)], entry.id == 0 else { continue }
            let image = copy.image
            guard let state = try? model.decode(image.encoded) else { continue }
            entry.id = id
            entry.storedEntries = image.entries
            _ = guarded.cache.change(entry) {
                $0.received(state, image.proposal, form: image.form, by: model) { _ in image }
            }
        }
    }
}

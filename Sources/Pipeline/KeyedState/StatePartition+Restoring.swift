internal import Kafka

/// Restoring a database without rows: most records are the first of their key and were published by the same rules, so
/// their rows are copied without being decoded.
extension StatePartition {
    /// Returns the rows of records that are the only ones of their key so far, by index of the record.
    func unreadRows(_ records: [KafkaRecord]) -> [Int: RowWrite] {
        guard withLock({ $0.restored?.takesRows == true }) else { return [:] }
        var counts: [RowKey: Int] = [:]
        for record in records { if let key = record.key { counts[RowKey(key), default: 0] += 1 } }
        var rows: [Int: RowWrite] = [:]
        for index in records.indices {
            guard let key = records[index].key, counts[RowKey(key)] == 1 else { continue }
            rows[index] = unreadRow(of: records[index], key)
        }
        return withLock { guarded in
            rows.filter { _, row in
                guarded.cache.entries[RowKey(row.key)] == nil && guarded.restored?.mayHold(row.key) == false
            }
        }
    }

    /// Returns the row of a record that another member or run has published by this form, in the partition of its key.
    private func unreadRow(of record: KafkaRecord, _ key: [UInt8]) -> RowWrite? {
        guard let value = record.value, let mark = RecordMark(record), mark.form == form, mark.writer != writer,
            KafkaPartition(ofKey: key, partitions: partitionCount) == name.partition,
            case .some(let header?) = record.withHeaderValue(
                StateHeader.row, { $0.flatMap { RowHeader($0, ofValueWith: value.count) } }),
            let row = header.row(in: value)
        else { return nil }
        let image = RowImage(
            encoded: row, form: form, due: header.due, deadline: header.deadline, proposal: StateProposal(record),
            entries: header.entries)
        return RowWrite(key: key, id: 0, image: image, oldEntries: [])
    }

    /// Called when rows that were not decoded are committed; entries that were requested meanwhile are merged with them
    /// in memory.
    ///
    /// - Parameter ids: the ids of the rows.
    func committed(unread rows: ArraySlice<RowWrite>, _ ids: ArraySlice<Int64>, _ guarded: inout Guarded) {
        for (row, id) in zip(rows, ids) {
            guard let entry = guarded.cache.entries[RowKey(row.key)], entry.id == 0, let image = row.image,
                let state = try? model.decode(image.encoded)
            else { continue }
            entry.id = id
            entry.storedEntries = image.entries
            _ = guarded.cache.change(entry) {
                $0.received(state, image.proposal, form: image.form, by: model) { _ in image }
            }
        }
    }
}

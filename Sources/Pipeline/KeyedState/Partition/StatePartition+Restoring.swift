internal import Kafka

/// Restores a database without rows. Most records are the first for their key and were published under the current
/// rules, so their rows are copied without being decoded.
extension StatePartition {
    /// Separates out the records whose rows can be copied because each is the only one with its key so far.
    func separateCopies(_ records: PackedRecords) -> (copies: CopiedRows, others: [KafkaRecord]) {
        guard withLock({ $0.restored?.takesRows == true }) else { return (CopiedRows(), records.list) }
        var hashes = [UInt64?](repeating: nil, count: records.count)
        var keys = BatchKeys(expecting: records.count)
        records.forEach { record in
            guard let key = record.key else { return }
            let hash = RestoredKeys.hash(key)
            hashes[record.index] = hash
            keys.insert(hash)
        }
        var (copies, others) = (CopiedRows(of: records.blocks), [KafkaRecord]())
        let isNew = areNew(records, hashes, keys)
        records.forEach { record in
            guard isNew[record.index], let hash = hashes[record.index],
                let copy = copy(of: record, hash, in: records)
            else { return others.append(records.record(at: record.index)) }
            copies.append(copy, in: record.block)
        }
        return (copies, others)
    }

    /// Returns, for each record, whether it is the only one with its key so far.
    private func areNew(_ records: PackedRecords, _ hashes: [UInt64?], _ keys: BatchKeys) -> [Bool] {
        withLock { guarded in
            let hasEntries = !guarded.cache.entries.isEmpty
            var areNew = [Bool](repeating: false, count: records.count)
            records.forEach { record in
                guard let key = record.key, let hash = hashes[record.index], keys.isSingle(hash),
                    guarded.restored?.mayHold(hash) == false
                else { return }
                areNew[record.index] = !hasEntries || guarded.cache.entries[RowKey(Array(key))] == nil
            }
            return areNew
        }
    }

    /// Returns the row to copy from a record, or nil if the record must be decoded because it has no valid
    /// ``RowHeader``, is not in its key's partition, was published with a different fingerprint, or was published by
    /// this run.
    private func copy(of record: BorrowedRecord, _ keyHash: UInt64, in records: PackedRecords) -> CopiedRow? {
        let headers = RestoredHeaders(record)
        guard let key = record.keyRange, let value = record.value, let mark = headers.mark.flatMap(RecordMark.init),
            mark.form == form, mark.writer != writer,
            record.key.map({ KafkaPartition(ofKey: $0, partitions: partitionCount) }) == name.partition,
            let header = headers.row.flatMap({ BorrowedRowHeader($0, ofValueWith: value.count) }),
            RowHeader.isRow(at: header.range, of: value, checksum: header.checksum)
        else { return nil }
        let row = UnsafeRawBufferPointer(rebasing: value[header.range])
        return CopiedRow(
            keyHash: keyHash, key: key, state: record.range(of: row), entries: record.range(of: header.entries),
            due: header.due, deadline: header.deadline, form: mark.form,
            proposal: headers.hasProposal ? StateProposal(records.record(at: record.index)) : nil)
    }

    /// Called once copied rows are committed. Entries requested in the meantime are merged with them in memory.
    ///
    /// - Parameter ids: the row ids.
    func committed(_ copies: CopiedRows, _ ids: ArraySlice<Int64>, _ guarded: inout Guarded) {
        var ids = ids.makeIterator()
        copies.forEach { copy, block in
            guard let id = ids.next() else { return }
            guarded.restored?.insert(copy.keyHash, id: id)
            guard !guarded.cache.entries.isEmpty,
                let entry = guarded.cache.entries[RowKey(Array(block[copy.key]))], entry.id == 0
            else { return }
            let image = copy.image(in: block)
            guard let state = try? model.decode(image.encoded) else { return }
            entry.id = id
            entry.storedEntries = image.entries
            _ = guarded.cache.change(entry) {
                $0.received(state, image.proposal, form: image.form, by: model) { _ in image }
            }
        }
    }
}

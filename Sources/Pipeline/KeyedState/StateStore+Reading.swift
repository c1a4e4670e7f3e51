internal import Kafka
internal import SQLite

/// Reading the topic: what others have published, and how far it was read.
extension StateStore {
    /// Where reading the topic's partition goes on; nil when nothing of it was read.
    func position(of partition: KafkaTopicPartition) throws(StateError) -> (next: Int64, seen: Int64)? {
        try read { database in
            try database.firstRow(
                "SELECT next, seen FROM positions WHERE topic = ? AND partition = ?",
                [.text(partition.topic.rawValue), .integer(Int64(partition.partition.rawValue))]
            ) { row in (try row.integer(0), try row.integer(1)) }
        }
    }

    /// The partition of the topic was begun anew, or too much of it was missed: it is read from its beginning.
    ///
    /// - Parameter keepsRows: true when what is known here may be known nowhere else, so that it is published again;
    ///   false when rows may have been erased meanwhile.
    func beginAnew(_ partition: KafkaTopicPartition, keepsRows: Bool) throws(StateError) {
        let place: [SQLiteValue] = [.text(partition.topic.rawValue), .integer(Int64(partition.partition.rawValue))]
        try write { guarded in
            if keepsRows {
                try guarded.database.run(
                    """
                    UPDATE marks SET published = -1, published_mark = -1
                    WHERE place = (SELECT id FROM places WHERE topic = ? AND partition = ?)
                    """, place)
            } else {
                try guarded.database.run(
                    """
                    DELETE FROM terms WHERE row IN (SELECT id FROM rows WHERE topic = ? AND partition = ?)
                    """, place)
                try guarded.database.run(
                    "DELETE FROM marks WHERE place = (SELECT id FROM places WHERE topic = ? AND partition = ?)", place)
                try guarded.database.run("DELETE FROM rows WHERE topic = ? AND partition = ?", place)
            }
            try guarded.database.run("DELETE FROM positions WHERE topic = ? AND partition = ?", place)
            guarded.positions[partition] = nil
            guarded.ownOffsets[partition] = nil
            guarded.cache.removeAll()
        } then: { _, _ in
        }
    }

    /// Merges records of the topic, ascending by offset, in one transaction with the position behind them.
    ///
    /// - Parameter now: milliseconds since 1970.
    func follow(
        _ records: [KafkaRecord], of partition: KafkaTopicPartition, at now: Int64
    ) throws(StateError) -> Followed {
        guard let last = records.last else { return Followed() }
        let next = last.offset.rawValue + 1
        return try write { guarded in
            var followed = Followed()
            var work = RowsInWork(model, guarded)
            for record in records {
                // What we wrote and saw acknowledged says nothing new.
                if guarded.ownOffsets[partition]?.remove(record.offset.rawValue) != nil { continue }
                try follow(record, of: partition, &work, &guarded, &followed)
            }
            try work.spread(&guarded)
            for entry in work.entries where !entry.isRemoved { try put(followed: entry, &guarded) }
            followed.merged = work.entries.count { $0.isChanged && !$0.isRemoved }
            work.giveBack(to: &guarded.cache)
            try guarded.database.run(
                """
                INSERT INTO positions (topic, partition, next, seen) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET next = excluded.next, seen = excluded.seen
                """,
                [
                    .text(partition.topic.rawValue), .integer(Int64(partition.partition.rawValue)), .integer(next),
                    .integer(now),
                ])
            return followed
        } then: { guarded, followed in
            guarded.positions[partition] = next
            // Acknowledged before they were read, and read under another name: nothing below the position is kept.
            if let own = guarded.ownOffsets[partition], own.contains(where: { $0 < next }) {
                guarded.ownOffsets[partition] = own.filter { $0 >= next }
            }
            return followed
        }
    }

    private func follow(
        _ record: KafkaRecord, of partition: KafkaTopicPartition, _ work: inout RowsInWork<Model>,
        _ guarded: inout Guarded, _ followed: inout Followed
    ) throws {
        guard let key = record.key else {
            followed.unreadable += 1
            return
        }
        let offset = record.offset.rawValue
        let moment = record.timestampMilliseconds ?? 0
        let name = RowName(topic: partition.topic, key: key)
        let known = try work.find(name, &guarded)
        let lastWord = known.map { work.entries[$0].row.published } ?? -1
        // Ours, or read before.
        if lastWord == offset { return }
        let read: State
        if let value = record.value {
            guard let state = try? model.read(published: value), model.key(of: state) == key else {
                followed.unreadable += 1
                return
            }
            read = state
        } else if let erasure = model.erasure(of: key, in: partition.topic, at: moment) {
            read = erasure
        } else {
            // A change that is not published yet is newer than the tombstone and will follow it.
            // One that came with it has its number only when it is written.
            if let known, lastWord < offset {
                let row = work.entries[known].row
                if row.isPublished || row.publishedMark == Self.theRowItself { try work.remove(known, name, &guarded) }
            }
            return
        }
        let merge = try work.merge(read, into: name, in: partition, &guarded)
        guard lastWord < offset else {
            // Another's, with a word of ours behind it that was written without knowing it: ours does not say all.
            if merge.isChanged { followed.behind += 1 }
            return
        }
        guard let place = try work.find(name, &guarded) else { return }
        work.change(place) { entry in
            entry.row.published = offset
            let saysAll = known == nil || entry.row.state == read
            if !saysAll { followed.behind += 1 }
            // The number of the change is given when the row is written.
            entry.row.publishedMark = saysAll ? Self.theRowItself : -1
            entry.readAt = moment
        }
    }

    /// Writes a row that reading the topic touched.
    private func put(followed entry: RowsInWork<Model>.Entry, _ guarded: inout Guarded) throws {
        guard entry.isChanged || entry.readAt != nil else { return }
        let saysAll = entry.row.publishedMark == Self.theRowItself
        if entry.isChanged || entry.row.id == 0 { entry.row.mark = guarded.takeMark() }
        if saysAll { entry.row.publishedMark = entry.row.mark }
        guard entry.isChanged else {
            return try guarded.statements.write(entry.row, encoded: nil, terms: entry.row.terms)
        }
        // What was due is due by what was published then, not by what is now.
        entry.row.due = model.nextChange(of: entry.row.state, after: entry.readAt ?? 0)
        try guarded.statements.write(
            entry.row, encoded: model.encode(entry.row.state), terms: model.terms(of: entry.row.state))
    }

    /// In place of a change's number: whatever number it gets.
    private static var theRowItself: Int64 { -2 }
}

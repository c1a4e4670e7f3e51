internal import Kafka

/// Handles publications that the brokers refuse. Brokers refuse a batch as a whole, so its rows are republished in
/// smaller and smaller groups. A row that is refused on its own is kept and retried from time to time.
extension StatePartition {
    /// The discarded publications of a delivery.
    struct Discarded: Sendable {
        /// Encoded rows, by key, that the brokers refused; nil if the row was to be removed.
        var refused: [RowKey: [UInt8]?] = [:]
        /// The error for each refused row.
        var errors: [RowKey: KafkaError] = [:]
    }

    /// Discards publications that were not acknowledged, and recomputes their states.
    func discard(_ failures: [UInt64: KafkaError]) -> Discarded {
        withLock { guarded in
            var discarded = Discarded()
            for (key, entry) in guarded.cache.entries {
                for publication in entry.state.refused(by: model, { failures[$0.number] != nil }) {
                    guard let error = failures[publication.number], error.code.isRefusal else { continue }
                    // The last publication of a key includes those before it.
                    discarded.refused[key] = .some(publication.state == nil ? nil : publication.image.encoded)
                    discarded.errors[key] = error
                }
            }
            return discarded
        }
    }

    /// Republishes refused rows in one batch.
    ///
    /// - Parameter rows: encoded rows by key; nil removes the row.
    /// - Throws: a ``StateError`` if a row cannot be read.
    func publishAgain(_ rows: [RowKey: [UInt8]?], at now: Int64) throws -> StateDelivery {
        try withLock { guarded in
            try requireUnblocked(guarded)
            let delivery = StateDelivery(name)
            for (key, encoded) in rows {
                let entry = try findOrMake(key.bytes, &guarded)
                if let encoded { try include(encoded, in: entry) }
                guard entry.state.current != nil else { continue }
                send(entry, delivery, at: now, &guarded, isPending: !derivingState(of: entry).isEmpty)
            }
            delivery.seal()
            return delivery
        }
    }

    /// Stores a row that is refused on its own.
    ///
    /// - Parameter encoded: the encoded row; nil if the row was to be removed.
    /// - Returns: whether the row differs from the one stored before; nil if the row was to be removed.
    @discardableResult
    func setAside(_ encoded: [UInt8]?, of key: RowKey, _ error: KafkaError, at now: Int64) -> Bool? {
        withLock { guarded in
            guard var encoded else {
                guarded.refusedRemovals[key.bytes] = now + Self.oversizedRetry
                return nil
            }
            let kept = guarded.oversized[key.bytes]
            // Keep the facts from a state that was refused earlier, too, because the row does not contain them.
            if let kept {
                encoded = (try? model.join(encoded, kept.encoded)) ?? encoded
            }
            guarded.oversized[key.bytes] = Oversized(
                encoded: encoded, retryAt: now + Self.oversizedRetry, isTooLarge: error.code.isTooLarge)
            return encoded != kept?.encoded
        }
    }

    /// Returns whether the brokers refuse all of these rows, so that they are republished only by a later attempt.
    func areRefused(_ keys: [[UInt8]]) -> Bool {
        withLock { guarded in
            keys.allSatisfy { guarded.oversized[$0] != nil || guarded.refusedRemovals[$0] != nil }
        }
    }

    /// Returns a refused row that is due for another attempt, with its state joined with the current one, and schedules
    /// the next attempt. Returns nil if no row is due.
    func dueRefused(at now: Int64) throws -> (key: [UInt8], encoded: [UInt8], joined: State)? {
        let due = withLock { guarded -> (key: [UInt8], encoded: [UInt8])? in
            guard let (key, row) = guarded.oversized.min(by: { $0.value.retryAt < $1.value.retryAt }),
                row.retryAt <= now
            else { return nil }
            guarded.oversized[key]?.retryAt = now + Self.oversizedRetry
            return (key, row.encoded)
        }
        guard let due else { return nil }
        let refused = try decode(due.encoded)
        var joined = try known(due.key) ?? refused
        _ = try model.merge(refused, into: &joined)
        return (due.key, due.encoded, joined)
    }

    /// Merges a row into the current state of its key.
    private func include(_ encoded: [UInt8], in entry: Entry) throws {
        _ = try entry.state.merged(decode(encoded), by: model)
    }

    private func decode(_ encoded: [UInt8]) throws -> State {
        do { return try model.decode(encoded) } catch { throw StateError(error) }
    }

    /// Removes acknowledged publications that will never be read back because the partition is not followed. The
    /// partition's owner merges them with the rows in the topic.
    func releaseAcknowledged() {
        withLock { guarded in
            guard !guarded.isOwned else { return }
            for entry in guarded.cache.entries.values {
                entry.state.acknowledged(by: model) { $0.delivery.isAcknowledged($0.number) }
            }
            guarded.cache.sweep(to: 0)
        }
    }
}

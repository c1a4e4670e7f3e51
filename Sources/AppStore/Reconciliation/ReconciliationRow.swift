/// A row in an environment's reconciliation topic: an index of received notifications, or a sweep.
package enum ReconciliationRow: Hashable, Sendable {
    case received(ReceivedNotifications)
    case sweep(Sweep)

    /// The key of the record.
    package var key: [UInt8] {
        switch self {
        case .received(let received): Array(received.key.utf8)
        case .sweep(let sweep): Array(sweep.key.utf8)
        }
    }

    /// The value of the record. A sweep is JSON.
    package var bytes: [UInt8] {
        switch self {
        case .received(let received): received.bytes
        case .sweep(let sweep): sweep.jsonText
        }
    }

    /// Parses the output of ``bytes``.
    ///
    /// - Throws: ``RowFormatError``.
    package init(bytes: [UInt8]) throws(RowFormatError) {
        if bytes.first == UInt8(ascii: "{") {
            self = .sweep(try Sweep(json: bytes))
        } else {
            self = .received(try ReceivedNotifications(bytes: bytes))
        }
    }

    /// Merges another row with the same key.
    ///
    /// - Returns: whether this row changed, or nil if the rows are of different kinds.
    package mutating func merge(_ other: ReconciliationRow) -> Bool? {
        switch (self, other) {
        case (.received(var received), .received(let other)):
            let isChanged = received.merge(other)
            self = .received(received)
            return isChanged
        case (.sweep(var sweep), .sweep(let other)):
            let isChanged = sweep.merge(other)
            self = .sweep(sweep)
            return isChanged
        default: return nil
        }
    }

    package var sweep: Sweep? { if case .sweep(let sweep) = self { sweep } else { nil } }

    package var received: ReceivedNotifications? {
        if case .received(let received) = self { received } else { nil }
    }
}

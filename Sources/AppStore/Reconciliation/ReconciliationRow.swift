/// A row of the reconciliation topic of one environment: which notifications the notification topic had, or a sweep.
package enum ReconciliationRow: Hashable, Sendable {
    case received(ReceivedNotifications)
    case sweep(Sweep)

    /// Of the record.
    package var key: [UInt8] {
        switch self {
        case .received(let received): Array(received.key.utf8)
        case .sweep(let sweep): Array(sweep.key.utf8)
        }
    }

    /// Of the record. A sweep is JSON.
    package var bytes: [UInt8] {
        switch self {
        case .received(let received): received.bytes
        case .sweep(let sweep): sweep.jsonText
        }
    }

    /// Reads what ``bytes`` wrote.
    ///
    /// - Throws: ``RowFormatError``.
    package init(bytes: [UInt8]) throws(RowFormatError) {
        if bytes.first == UInt8(ascii: "{") {
            self = .sweep(try Sweep(json: bytes))
        } else {
            self = .received(try ReceivedNotifications(bytes: bytes))
        }
    }

    /// Adds what another row of the same key knows.
    ///
    /// - Returns: whether it changed; nil when the two cannot be of one key.
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

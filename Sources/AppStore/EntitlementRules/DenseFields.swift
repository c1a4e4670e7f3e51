internal import AppStoreModel

// Dense encoding of the rules' value types.

extension DenseWriter {
    /// Writes a number as its difference from the previous number; the difference is small for Apple's IDs. Writes text
    /// unchanged.
    mutating func key(_ key: TransactionKey, since previous: inout UInt64) {
        switch key {
        case .number(let number):
            signed(Int64(bitPattern: number &- previous))
            previous = number
        case .text(let id): text(id.rawValue)
        }
    }

    /// Writes a time in milliseconds relative to another time.
    mutating func instant(_ instant: AppStoreInstant, since other: Int64) {
        signed(instant.millisecondsSince1970 - other)  // both are bounded, so this cannot overflow
    }

    /// Writes a 128-bit UUID as two fields, and any other text as one.
    mutating func uuid(_ uuid: CompactUUID) {
        switch uuid {
        case .bits(let high, let low):
            number(high)
            endField()
            number(low)
        case .text(let uuid): text(uuid.rawValue)
        }
    }
}

extension DenseReader {
    mutating func key(since previous: inout UInt64) -> TransactionKey? {
        if let text = text() { return TransactionKey(TransactionId(text)) }
        guard let distance = signed() else { return nil }
        previous &+= UInt64(bitPattern: distance)
        return .number(previous)
    }

    /// Reads a time, or returns nil if it is absent or out of range.
    mutating func instant(since other: Int64) -> AppStoreInstant? {
        signed().flatMap { Self.instant($0, since: other) }
    }

    static func instant(_ milliseconds: Int64, since other: Int64) -> AppStoreInstant? {
        let (sum, overflow) = other.addingReportingOverflow(milliseconds)
        return overflow ? nil : AppStoreInstant(millisecondsSince1970: sum)
    }

    mutating func uuid() -> CompactUUID? {
        if let text = text() { return CompactUUID(NotificationUUID(text)) }
        guard let high = number() else { return nil }
        return .bits(high: high, low: number() ?? 0)
    }
}

package import AppStoreModel

/// A transactionId in few bytes: Apple's are decimal numbers, and any other text is kept as it is.
package enum TransactionKey: Hashable, Sendable {
    case number(UInt64)
    case text(TransactionId)

    package init(_ id: TransactionId) {
        self = Self.canonicalNumber(id.rawValue).map { .number($0) } ?? .text(id)
    }

    package var id: TransactionId {
        switch self {
        case .number(let number): TransactionId(String(number))
        case .text(let id): id
        }
    }

    /// Whether the id is of a sensible length and without control characters, as every number is.
    var isBounded: Bool {
        switch self {
        case .number: true
        case .text(let id): id.isBounded
        }
    }

    /// Nil unless the number is written as this very text.
    private static func canonicalNumber(_ text: String) -> UInt64? {
        let digits = text.utf8
        guard (1...19).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            return nil
        }
        var number: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number &* 10 &+ UInt64(digit &- UInt8(ascii: "0"))  // 19 digits always fit
        }
        return number
    }
}

extension TransactionKey: Comparable {
    /// The order of the ids' texts.
    package static func < (one: TransactionKey, other: TransactionKey) -> Bool { one != other && one.id < other.id }
}

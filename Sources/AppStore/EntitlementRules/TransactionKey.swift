package import AppStoreModel

/// A transactionId in compact form: a number for Apple's decimal IDs; otherwise the text.
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

    /// Whether the ID is within the length limit and has no control characters. True for every number.
    var isBounded: Bool {
        switch self {
        case .number: true
        case .text(let id): id.isBounded
        }
    }

    /// Returns the number, or nil if the text is not a decimal number in canonical form with at most 19 digits.
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
    /// Compares the IDs as strings.
    package static func < (one: TransactionKey, other: TransactionKey) -> Bool { one != other && one.id < other.id }
}

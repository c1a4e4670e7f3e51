/// The number in the body of an error response. Unknown numbers are preserved.
///
/// Equality compares only the number.
package struct APIErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }
    package init(_ number: Int64) { rawValue = number }

    package static let invalidTransactionId = APIErrorCode(4_000_006)
    package static let invalidOriginalTransactionId = APIErrorCode(4_000_008)
    package static let invalidPaginationToken = APIErrorCode(4_000_014)
    package static let paginationTokenExpired = APIErrorCode(4_000_017)
    package static let appTransactionIdNotSupported = APIErrorCode(4_000_048)
    package static let invalidAppAccountTokenUUID = APIErrorCode(4_000_183)
    package static let familyTransactionNotSupported = APIErrorCode(4_000_185)
    package static let accountNotFound = APIErrorCode(4_040_001)
    package static let originalTransactionIdNotFound = APIErrorCode(4_040_005)
    package static let serverNotificationURLNotFound = APIErrorCode(4_040_007)
    package static let testNotificationNotFound = APIErrorCode(4_040_008)
    package static let transactionIdNotFound = APIErrorCode(4_040_010)
    package static let rateLimitExceeded = APIErrorCode(4_290_000)
    package static let generalInternal = APIErrorCode(5_000_000)

    /// Whether the number is in the table.
    package var isKnown: Bool { entry != nil }

    /// Apple's name, such as `TransactionIdNotFoundError`, or nil for an unknown number.
    package var name: String? { entry.map { "\($0.name)Error" } }

    /// Whether the same request may succeed later: Apple's documentation says so or, for an unknown number, the number
    /// belongs to status 429 or 5xx.
    package var isRetriable: Bool { entry?.isRetriable ?? (rawValue / 10_000 == 429 || rawValue / 1_000_000 == 5) }

    /// How to fix the error, or nil for an unknown number.
    package var fix: String? { entry?.fix }

    /// The number, followed by the name if known.
    package var description: String { name.map { "\(rawValue) \($0)" } ?? String(rawValue) }

    private var entry: Entry? { Self.table[rawValue] }

    struct Entry: Sendable {
        let number: Int64
        let name: String
        let isRetriable: Bool
        let fix: String

        init(_ number: Int64, _ name: String, retriable: Bool = false, _ fix: String) {
            self.number = number
            self.name = name
            isRetriable = retriable
            self.fix = fix
        }
    }

    private static let table = Dictionary(uniqueKeysWithValues: entries.map { ($0.number, $0) })
}

internal import AppStoreModel
internal import KeyedState

/// The customer, purchase or transaction that a query is about.
enum Subject: Sendable, Equatable {
    case appAccountToken(AppAccountToken)
    case originalTransactionId(OriginalTransactionId)
    case appTransactionId(AppTransactionId)
    /// Any transaction kept for a purchase: the latest ones and the very first.
    case transactionId(TransactionId)

    static let names = [
        ReadAPIName.appAccountToken, ReadAPIName.originalTransactionId, ReadAPIName.appTransactionId,
        ReadAPIName.transactionId,
    ]

    /// - Parameter value: returns the value of a parameter or member, or nil if it is absent.
    init(_ value: (StaticString) -> String?) throws(Refusal) {
        let given = Self.names.compactMap { name in value(name).map { (name: name, text: $0) } }
        guard let one = given.first, given.count == 1 else {
            throw Refusal(message: "specify one of \(Self.names.map(\.description).joined(separator: ", "))")
        }
        switch one.name.description {
        case ReadAPIName.appAccountToken.description:
            let token = AppAccountToken(one.text)
            guard token.isWellFormed else {
                throw Refusal(message: "\(ReadAPIName.appAccountToken): expected a UUID")
            }
            self = .appAccountToken(token)
        case ReadAPIName.appTransactionId.description: self = .appTransactionId(AppTransactionId(one.text))
        case ReadAPIName.transactionId.description: self = .transactionId(TransactionId(one.text))
        default: self = .originalTransactionId(OriginalTransactionId(one.text))
        }
    }

    /// The name of the parameter or member for this kind of subject.
    var name: StaticString {
        switch self {
        case .appAccountToken: ReadAPIName.appAccountToken
        case .originalTransactionId: ReadAPIName.originalTransactionId
        case .appTransactionId: ReadAPIName.appTransactionId
        case .transactionId: ReadAPIName.transactionId
        }
    }

    var text: String {
        switch self {
        case .appAccountToken(let token): token.rawValue
        case .originalTransactionId(let id): id.rawValue
        case .appTransactionId(let id): id.rawValue
        case .transactionId(let id): id.rawValue
        }
    }

    /// The index entries of the subject's purchases. Each purchase has at most one of these entries.
    var entries: [IndexEntry] {
        switch self {
        case .appAccountToken: [IndexEntry(EntitlementsModel.Entry.appAccountToken, text)]
        case .originalTransactionId: [IndexEntry(EntitlementsModel.Entry.originalTransactionId, text)]
        case .appTransactionId: [IndexEntry(EntitlementsModel.Entry.appTransactionId, text)]
        case .transactionId:
            [
                IndexEntry(EntitlementsModel.Entry.transactionId, text),
                IndexEntry(EntitlementsModel.Entry.originalTransactionId, text),
            ]
        }
    }
}

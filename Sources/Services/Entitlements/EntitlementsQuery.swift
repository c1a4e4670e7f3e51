internal import AppStoreModel
internal import KeyedState
internal import Records

/// Whose entitlements, or history, are asked for.
enum Subject: Sendable, Equatable {
    case appAccountToken(AppAccountToken)
    case originalTransactionId(OriginalTransactionId)
    case appTransactionId(AppTransactionId)

    static let names = [
        ReadAPIName.appAccountToken, ReadAPIName.originalTransactionId, ReadAPIName.appTransactionId,
    ]

    init(_ parameters: QueryParameters) throws(Refusal) {
        let given = Self.names.filter { parameters[$0] != nil }
        guard let name = given.first, given.count == 1, let text = parameters[name] else {
            throw Refusal(message: "give one of \(Self.names.map(\.description).joined(separator: ", "))")
        }
        if let token = parameters[ReadAPIName.appAccountToken] {
            let token = AppAccountToken(token)
            guard token.isWellFormed else {
                throw Refusal(message: "\(ReadAPIName.appAccountToken): expected a UUID")
            }
            self = .appAccountToken(token)
        } else if parameters[ReadAPIName.originalTransactionId] != nil {
            self = .originalTransactionId(OriginalTransactionId(text))
        } else {
            self = .appTransactionId(AppTransactionId(text))
        }
    }

    /// The parameter and member that names the subject.
    var name: StaticString {
        switch self {
        case .appAccountToken: ReadAPIName.appAccountToken
        case .originalTransactionId: ReadAPIName.originalTransactionId
        case .appTransactionId: ReadAPIName.appTransactionId
        }
    }

    var text: String {
        switch self {
        case .appAccountToken(let token): token.rawValue
        case .originalTransactionId(let id): id.rawValue
        case .appTransactionId(let id): id.rawValue
        }
    }

    /// Under what its purchases are found.
    var entry: IndexEntry {
        switch self {
        case .appAccountToken: IndexEntry(EntitlementsModel.Entry.appAccountToken, text)
        case .originalTransactionId: IndexEntry(EntitlementsModel.Entry.originalTransactionId, text)
        case .appTransactionId: IndexEntry(EntitlementsModel.Entry.appTransactionId, text)
        }
    }
}

/// What is asked of `/v1/entitlements` and `/v1/history`.
struct EntitlementsQuery: Sendable, Equatable {
    enum Kind: Sendable {
        case entitlements
        case history
    }

    var kind: Kind
    var subject: Subject
    var environment: AppStoreEnvironment
    var bundleId: BundleId?
    /// Nil: now. A history has no moment.
    var at: AppStoreInstant?

    init(_ query: String?, kind: Kind = .entitlements) throws(Refusal) {
        let names = Subject.names + [ReadAPIName.environment, ReadAPIName.bundleId]
        let parameters = try QueryParameters(query, names: kind == .history ? names : names + [ReadAPIName.at])
        self.kind = kind
        subject = try Subject(parameters)
        environment = try parameters.environment()
        bundleId = parameters.bundleId
        at = kind == .history ? nil : try parameters.instant(ReadAPIName.at)
    }
}

/// What is asked of `/v1/purchases`: all purchases, or those that belong to no account, by key.
struct PurchasesQuery: Sendable, Equatable {
    var environment: AppStoreEnvironment
    var isUnclaimed: Bool
    /// Only after this key, where an answer ended.
    var after: String?
    var limit: Int

    static let maximumLimit = 1000

    init(_ query: String?) throws(Refusal) {
        let parameters = try QueryParameters(
            query, names: [ReadAPIName.environment, ReadAPIName.unclaimed, ReadAPIName.after, ReadAPIName.limit])
        environment = try parameters.environment()
        isUnclaimed = try parameters.flag(ReadAPIName.unclaimed)
        after = parameters[ReadAPIName.after]
        limit = try parameters.number(ReadAPIName.limit, in: 1...Self.maximumLimit, default: 100)
    }
}

internal import AppStoreModel
internal import EntitlementRules
internal import Records

/// A query to `/v1/entitlements` or `/v1/history`.
struct EntitlementsQuery: Sendable, Equatable {
    enum Kind: Sendable {
        case entitlements
        case history
    }

    var kind: Kind
    var subject: Subject
    var environments: QueriedEnvironments
    var bundleId: BundleId?
    /// The time at which the entitlements are evaluated, or nil for the current time. Always nil for a history.
    var at: AppStoreInstant?

    init(
        kind: Kind = .entitlements, subject: Subject, environments: QueriedEnvironments, bundleId: BundleId? = nil,
        at: AppStoreInstant? = nil
    ) {
        self.kind = kind
        self.subject = subject
        self.environments = environments
        self.bundleId = bundleId
        self.at = at
    }

    init(_ query: String?, kind: Kind = .entitlements) throws(Refusal) {
        let names = Subject.names + [ReadAPIName.environment, ReadAPIName.bundleId]
        let parameters = try QueryParameters(query, names: kind == .history ? names : names + [ReadAPIName.at])
        self.init(
            kind: kind, subject: try Subject { parameters[$0] },
            environments: try QueriedEnvironments(parameters[ReadAPIName.environment]),
            bundleId: parameters.bundleId,
            at: kind == .history ? nil : try parameters.instant(ReadAPIName.at))
    }
}

extension EntitlementsQuery {
    /// Returns whether a purchase found through the index belongs to the subject at the requested time. A purchase's
    /// account can change over time, and the index contains all of its accounts.
    func includes(_ purchase: PurchaseFacts, at now: AppStoreInstant) -> Bool {
        guard bundleId == nil || purchase.bundleId == bundleId else { return false }
        guard case .appAccountToken(let token) = subject else { return true }
        return purchase.owner(at: at ?? now) == token
    }
}

/// A query to `/v1/purchases` for all purchases, or for purchases without an account, sorted by key.
struct PurchasesQuery: Sendable, Equatable {
    var environment: AppStoreEnvironment
    var isUnclaimed: Bool
    /// The last key on the previous page; only purchases after it are listed.
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

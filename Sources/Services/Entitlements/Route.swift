/// What the read API serves, by path.
enum Route: String, Sendable, CaseIterable {
    case entitlements = "/v1/entitlements"
    case batch = "/v1/entitlements/query"
    case history = "/v1/history"
    case purchases = "/v1/purchases"
    case claims = "/v1/claims"
    case erasures = "/v1/erasures"
    case transactions = "/v1/transactions"
    case openAPI = "/v1/openapi.json"

    /// Bytes of the body of a POST; nil for what is read with GET.
    var bodyLimit: Int? {
        switch self {
        case .entitlements, .history, .purchases, .openAPI: nil
        case .batch: EntitlementsBatch.maximumBytes
        case .claims, .erasures: ChangeRequest.maximumBytes
        case .transactions: TransactionUpload.maximumBytes
        }
    }

    /// Whether a key is needed that may do more than read.
    var isChange: Bool {
        switch self {
        case .claims, .erasures, .transactions: true
        case .entitlements, .batch, .history, .purchases, .openAPI: false
        }
    }

    /// The description of the API says nothing about anybody.
    var needsKey: Bool { self != .openAPI }
}

/// The paths of the read API.
enum Route: String, Sendable, CaseIterable {
    case entitlements = "/v1/entitlements"
    case batch = "/v1/entitlements/query"
    case history = "/v1/history"
    case purchases = "/v1/purchases"
    case story = "/v1/story"
    case claims = "/v1/claims"
    case erasures = "/v1/erasures"
    case transactions = "/v1/transactions"
    case openAPI = "/v1/openapi.json"

    /// Maximum size of a POST body in bytes, or nil for paths that use GET.
    var bodyLimit: Int? {
        switch self {
        case .entitlements, .history, .purchases, .story, .openAPI: nil
        case .batch: EntitlementsBatch.maximumBytes
        case .claims, .erasures: ChangeRequest.maximumBytes
        case .transactions: TransactionUpload.maximumBytes
        }
    }

    /// Whether the path requires a key with full permission.
    var isChange: Bool {
        switch self {
        case .claims, .erasures, .transactions: true
        case .entitlements, .batch, .history, .purchases, .story, .openAPI: false
        }
    }

    /// Whether the path requires a key. The API description does not, because it contains no customer data.
    var needsKey: Bool { self != .openAPI }
}

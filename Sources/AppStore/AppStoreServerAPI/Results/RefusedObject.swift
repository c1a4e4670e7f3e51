internal import AppStoreModel
internal import AppStoreVerification

/// A signed object that was rejected because it is not signed by Apple, is nonconforming, or belongs to an app or
/// environment that was not requested.
package struct RefusedObject: Error, Sendable, Hashable, CustomStringConvertible {
    /// The verifier's reason code, such as `audience` or `signature`.
    package let reason: String
    /// A fixed string that is more specific than the reason. It never contains text from the response.
    package let detail: String
    /// Whether the same object may be accepted later, for example once the revocation status is known.
    package let isRetriable: Bool

    init(_ refusal: Refusal) {
        reason = refusal.reason.rawValue
        detail = refusal.detail
        isRetriable = refusal.status == 503 || refusal.status == 429
    }

    /// Creates a rejection if the object belongs to an app or environment that was not requested; returns nil if both
    /// match.
    init?(bundleId: BundleId?, environment: AppStoreEnvironment?, unless scope: APIScope) {
        // Compare bytes, because string equality accepts look-alikes.
        guard let bundleId, bundleId.rawValue.utf8.elementsEqual(scope.bundleId.rawValue.utf8) else {
            self.init("bundleId does not match the request")
            return
        }
        guard environment != scope.environment else { return nil }
        self.init("environment does not match the request")
    }

    init(_ detail: String) {
        reason = Reason.audience.rawValue
        self.detail = detail
        isRetriable = false
    }

    package var description: String { "\(reason): \(detail)" }
}

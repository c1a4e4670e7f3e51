internal import AppStoreModel
internal import AppStoreVerification

/// A signed object of an answer that is not used: not Apple's, not as documented, or of another app or environment than
/// the request was for.
package struct RefusedObject: Error, Sendable, Hashable, CustomStringConvertible {
    /// The verifier's reason code, such as `audience` or `signature`.
    package let reason: String
    /// A constant that says more; never text from the answer.
    package let detail: String
    /// Whether the same object may be accepted later, such as when revocation is known.
    package let isRetriable: Bool

    init(_ refusal: Refusal) {
        reason = refusal.reason.rawValue
        detail = refusal.detail
        isRetriable = refusal.status == 503 || refusal.status == 429
    }

    /// Signed by Apple, but not for the app and the environment that were asked; nil when it is.
    init?(bundleId: BundleId?, environment: AppStoreEnvironment?, unless scope: APIScope) {
        // Equal as bytes: equality of texts has look-alikes.
        guard let bundleId, bundleId.rawValue.utf8.elementsEqual(scope.bundleId.rawValue.utf8) else {
            self.init("another app than the request was for")
            return
        }
        guard environment != scope.environment else { return nil }
        self.init("another environment than the request was for")
    }

    init(_ detail: String) {
        reason = Reason.audience.rawValue
        self.detail = detail
        isRetriable = false
    }

    package var description: String { "\(reason): \(detail)" }
}

internal import AppStoreModel
internal import Primitives

/// A 64-bit hash of a notification's content. Notifications with the same `notificationUUID` but different hashes are
/// not copies of each other. Dates and nested objects are excluded, because a retry may be signed again.
struct ContentPrint: Hashable, Sendable {
    private let hash: UInt64

    init(_ type: NotificationType?, _ subtype: Subtype?, _ bundleId: BundleId?) {
        let text = [type?.rawValue, subtype?.rawValue, bundleId?.rawValue].map { $0 ?? "" }.joined(separator: "\n")
        hash = FNV1a.hash(text.utf8)
    }
}

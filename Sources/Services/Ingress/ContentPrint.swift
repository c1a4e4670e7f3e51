internal import AppStoreModel
internal import Bytes

/// The content of a notification in 64 bits: two with one `notificationUUID` that differ in it are not one that was sent
/// twice.
/// No date and no nested object has a part in it, because a retry may be signed again.
struct ContentPrint: Hashable, Sendable {
    private let hash: UInt64

    init(_ type: NotificationType?, _ subtype: Subtype?, _ bundleId: BundleId?) {
        let text = [type?.rawValue, subtype?.rawValue, bundleId?.rawValue].map { $0 ?? "" }.joined(separator: "\n")
        hash = FNV1a.hash(text.utf8)
    }
}

internal import AppStoreModel
internal import Cryptography
internal import Records

/// The value of `webhook-id`, without a dot, which separates the signed parts: `<content>-<environment>-` and what names
/// the message itself, so that a copy of a record, in whatever topic and at whatever offset, has the same id.
///
/// - A notification is named by its notificationUUID.
/// - A state by its purchase (16 hexadecimal digits of the SHA-256 of its key), its version, and 16 of its value's.
struct WebhookID: Sendable, Equatable {
    let content: WebhookContent
    let environment: AppStoreEnvironment
    let text: String

    /// The id of a notification.
    init(_ content: WebhookContent, _ environment: AppStoreEnvironment, notificationUUID: String) {
        self.init(content, environment, name: Self.word(notificationUUID))
    }

    /// The id of a purchase's state; an erasure has no value.
    init(_ environment: AppStoreEnvironment, key: [UInt8], version: String, value: [UInt8]?) {
        let purchase = Self.digest(key)
        self.init(
            .state, environment, name: "\(purchase)-\(Self.word(version))-\(value.map(Self.digest) ?? "erased")")
    }

    private init(_ content: WebhookContent, _ environment: AppStoreEnvironment, name: String) {
        self.content = content
        self.environment = environment
        text = "\(content.rawValue)-\(environment.rawValue.lowercased())-\(name)"
    }

    /// Reads the content and environment of an id; nil for a text that is no id of ours.
    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let content = WebhookContent(rawValue: parts[0]), !parts[2].isEmpty,
            let environment = AppStoreEnvironment.published.first(where: { $0.rawValue.lowercased() == parts[1] })
        else { return nil }
        self.content = content
        self.environment = environment
        self.text = text
    }

    /// Text that may be part of an id: what Apple or a record says as it is, anything else as a digest.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        return isPlain && (1...64).contains(text.utf8.count) ? text : digest(Array(text.utf8))
    }

    /// 16 hexadecimal digits.
    private static func digest(_ bytes: [UInt8]) -> String { String(SHA256.digest(of: bytes).hex.prefix(16)) }
}

internal import AppStoreModel
internal import Cryptography
internal import Kafka
internal import Records

/// The value of `webhook-id`: `<content>-<environment>-` and an identifier of the message, or `operations-` and the ID
/// of an operator event. Copies of a record have the same ID in any topic and at any offset. The ID contains no dot,
/// because dots separate the signed parts.
///
/// - A notification is identified by its notificationUUID.
/// - A state is identified by its purchase (16 hexadecimal digits of the key's SHA-256 digest), its version, and 16
///   hexadecimal digits of its value's SHA-256 digest.
struct WebhookID: Sendable, Equatable {
    let content: WebhookContent
    /// The environment, or nil for an operator event.
    let environment: AppStoreEnvironment?
    let text: String

    /// Creates the ID of a notification.
    init(_ content: WebhookContent, _ environment: AppStoreEnvironment, notificationUUID: String) {
        self.init(content, environment, name: Self.word(notificationUUID))
    }

    /// Creates the ID of an operator event.
    init(operatorEvent id: String) {
        content = .operations
        environment = nil
        text = "\(WebhookContent.operations.rawValue)-\(Self.word(id))"
    }

    /// Creates the ID of a purchase's state. An erasure has no value.
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

    /// Parses the content and environment of an ID. Returns nil if the text is not an ID.
    init?(_ text: String) {
        let operations = "\(WebhookContent.operations.rawValue)-"
        guard !text.hasPrefix(operations) else {
            guard text.utf8.count > operations.utf8.count else { return nil }
            content = .operations
            environment = nil
            self.text = text
            return
        }
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let content = WebhookContent(rawValue: parts[0]), !parts[2].isEmpty,
            let environment = AppStoreEnvironment.published.first(where: { $0.rawValue.lowercased() == parts[1] })
        else { return nil }
        self.content = content
        self.environment = environment
        self.text = text
    }

    /// Returns the topic that contains the message's record.
    func topic(_ names: TopicNames) -> KafkaTopic {
        environment.map { content.topic(names, $0) } ?? names.operations
    }

    /// Returns text that is safe to use in an ID: plain text unchanged, any other text as a digest.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        return isPlain && (1...64).contains(text.utf8.count) ? text : digest(Array(text.utf8))
    }

    /// Returns 16 hexadecimal digits of the SHA-256 digest.
    private static func digest(_ bytes: [UInt8]) -> String { String(SHA256.digest(of: bytes).hex.prefix(16)) }
}

public import AppStoreModel
public import KafkaModel

/// A record in the quarantine topic, with the exact bytes received and the reason in the headers.
public struct QuarantineRecord: Hashable, Sendable {
    /// The maximum length of the detail in bytes. A longer detail is truncated when written.
    public static let maximumDetailBytes = 512
    /// The reason of a version 1 body with a correct password and an unreadable part.
    package static let legacyProfileReason = "v1_profile"

    /// The verdict code.
    public var reason: String
    public var detail: String?
    public var receivedAt: AppStoreInstant?
    /// The environment, if known.
    public var environment: AppStoreEnvironment?
    public var bundleId: BundleId?
    public var notificationUUID: NotificationUUID?
    /// `live` or `history`.
    public var source: RecordOrigin?
    public var receivedBytes: [UInt8]

    public init(
        reason: String, detail: String? = nil, receivedAt: AppStoreInstant?, environment: AppStoreEnvironment? = nil,
        bundleId: BundleId? = nil, notificationUUID: NotificationUUID? = nil, source: RecordOrigin? = .live,
        receivedBytes: [UInt8]
    ) {
        self.reason = reason
        self.detail = detail
        self.receivedAt = receivedAt
        self.environment = environment
        self.bundleId = bundleId
        self.notificationUUID = notificationUUID
        self.source = source
        self.receivedBytes = receivedBytes
    }

    /// Returns the record to produce. It has no key if the notificationUUID cannot be used as one.
    public func produced(to topic: KafkaTopic) -> KafkaProducerRecord {
        var headers = [KafkaHeader(.quarantineReason, reason)]
        if let detail { headers.append(KafkaHeader(.quarantineDetail, Self.plain(detail))) }
        if let receivedAt { headers.append(KafkaHeader(.quarantineReceivedTime, receivedAt.description)) }
        if let environment { headers.append(KafkaHeader(.quarantineEnvironment, Self.plain(environment.rawValue))) }
        if let bundleId { headers.append(KafkaHeader(.quarantineBundleId, Self.plain(bundleId.rawValue))) }
        if let source { headers.append(KafkaHeader(.quarantineSource, source.rawValue)) }
        let key = notificationUUID.flatMap { $0.isBounded ? Array($0.rawValue.utf8) : nil }
        return KafkaProducerRecord(topic: topic, key: key, value: receivedBytes, headers: headers)
    }

    /// Parses a record from the quarantine topic. Absent or unreadable fields are nil, except that an absent reason is
    /// `unknown` and an absent value is empty.
    public init(key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader]) {
        self.init(
            reason: headers.text(.quarantineReason) ?? "unknown",
            detail: headers.text(.quarantineDetail),
            receivedAt: headers.text(.quarantineReceivedTime).flatMap { AppStoreInstant(rfc3339: $0) },
            environment: headers.text(.quarantineEnvironment).map { AppStoreEnvironment($0) },
            bundleId: headers.text(.quarantineBundleId).map { BundleId($0) },
            notificationUUID: key.flatMap { String(validating: $0, as: UTF8.self) }
                .flatMap { $0.isEmpty ? nil : NotificationUUID($0) },
            source: headers.text(.quarantineSource).flatMap { RecordOrigin(rawValue: $0) },
            receivedBytes: value ?? [])
    }

    /// Makes untrusted text safe for a header: truncates it to the maximum length and replaces control characters.
    private static func plain(_ text: String) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            let shown = isControl ? "?" : scalar
            count += UTF8.width(shown)
            guard count <= maximumDetailBytes else { break }
            result.unicodeScalars.append(shown)
        }
        return result
    }
}

public import KafkaModel

/// The names of all headers that Sluice writes. These names are a contract.
public enum RecordHeaderName: String, Sendable, CaseIterable {
    // CloudEvents 1.0, Kafka protocol binding, binary mode.
    case specVersion = "ce_specversion"
    /// The notificationUUID.
    case id = "ce_id"
    /// `com.apple.appstore.` + notificationType (+ `.` + subtype).
    case type = "ce_type"
    /// `/appstore/<environment>/<bundleId>`.
    case source = "ce_source"
    /// The originalTransactionId, absent if there is none.
    case subject = "ce_subject"
    /// The signedDate in RFC 3339 format with milliseconds.
    case time = "ce_time"
    case contentType = "content-type"
    // CloudEvents extensions.
    case environment = "ce_environment"
    case bundleId = "ce_bundleid"
    /// The time when the ingress received the notification, in RFC 3339 format with milliseconds.
    case receivedTime = "ce_receivedtime"
    /// The ``RecordTrust``.
    case trust = "ce_trust"
    /// The ``RecordOrigin``.
    case origin = "ce_origin"
    /// W3C trace context, if the request had one.
    case traceParent = "traceparent"

    // Quarantine record headers.
    /// The verdict code.
    case quarantineReason = "sluice.quarantine.reason"
    case quarantineDetail = "sluice.quarantine.detail"
    /// The time when the body was received, in RFC 3339 format with milliseconds.
    case quarantineReceivedTime = "sluice.quarantine.receivedtime"
    case quarantineEnvironment = "sluice.quarantine.environment"
    case quarantineBundleId = "sluice.quarantine.bundleid"
    /// The ``RecordOrigin``: `live` or `history`.
    case quarantineSource = "sluice.quarantine.source"

    /// The failure after which an operator replayed the record: the consumer group and the dead letter's reason,
    /// separated by a space.
    case replayReason = "sluice.replay.reason"
}

/// How a record was authenticated.
public enum RecordTrust: String, Sendable, CaseIterable {
    /// Version 2, signed with Apple's certificate chain.
    case signed
    /// Version 1 or earlier, authenticated by the app's shared secret.
    case sharedSecret = "shared-secret"
}

/// The source of a record.
public enum RecordOrigin: String, Sendable, CaseIterable {
    /// Apple posted the notification.
    case live
    /// The notification was fetched with Get Notification History.
    case history
    /// An operator republished the notification.
    case replay
}

extension KafkaHeader {
    /// Creates a Sluice header with a text value.
    public init(_ name: RecordHeaderName, _ text: String) { self.init(key: name.rawValue, text: text) }
}

extension [KafkaHeader] {
    /// Returns the text of the last header with that name, or nil if there is none or it is not UTF-8.
    public func text(_ name: RecordHeaderName) -> String? { last { $0.key == name.rawValue }?.text }
}

extension KafkaRecord {
    /// Returns the text of the last header with that name, or nil if there is none or it is not UTF-8.
    public func text(_ name: RecordHeaderName) -> String? { header(name.rawValue)?.text }
}

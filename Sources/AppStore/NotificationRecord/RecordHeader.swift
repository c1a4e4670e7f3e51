/// One header of a record: a name and bytes.
public struct RecordHeader: Hashable, Sendable {
    public var name: String
    /// Nil where the record has a header without value, which Kafka allows.
    public var value: [UInt8]?

    public init(name: String, value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    public init(_ name: RecordHeaderName, _ text: String) {
        self.init(name: name.rawValue, value: Array(text.utf8))
    }

    /// The value as text; nil if there is none or it is not UTF-8.
    public var text: String? { value.flatMap { String(validating: $0, as: UTF8.self) } }
}

/// The names of all headers that Sluice writes: a contract.
public enum RecordHeaderName: String, Sendable, CaseIterable {
    // CloudEvents 1.0, Kafka protocol binding, binary mode.
    case specVersion = "ce_specversion"
    /// notificationUUID.
    case id = "ce_id"
    /// `com.apple.appstore.` + notificationType (+ `.` + subtype).
    case type = "ce_type"
    /// `/appstore/<environment>/<bundleId>`.
    case source = "ce_source"
    /// originalTransactionId; absent where there is none.
    case subject = "ce_subject"
    /// signedDate, RFC 3339 with milliseconds.
    case time = "ce_time"
    case contentType = "content-type"
    // Extensions.
    case environment = "ce_environment"
    case bundleId = "ce_bundleid"
    /// When the ingress received it, RFC 3339 with milliseconds.
    case receivedTime = "ce_receivedtime"
    /// ``RecordTrust``.
    case trust = "ce_trust"
    /// ``RecordOrigin``.
    case origin = "ce_origin"
    /// W3C trace context, when given.
    case traceParent = "traceparent"

    // Quarantine.
    /// The verdict's code.
    case quarantineReason = "sluice.quarantine.reason"
    case quarantineDetail = "sluice.quarantine.detail"
    /// RFC 3339 with milliseconds.
    case quarantineReceivedTime = "sluice.quarantine.receivedtime"
    case quarantineEnvironment = "sluice.quarantine.environment"
    case quarantineBundleId = "sluice.quarantine.bundleid"
    /// ``RecordOrigin``: `live` or `history`.
    case quarantineSource = "sluice.quarantine.source"
}

/// How a record came to be trusted.
public enum RecordTrust: String, Sendable, CaseIterable {
    /// Version 2: signed by Apple's chain.
    case signed
    /// Version 1 and older: carried the app's shared secret.
    case sharedSecret = "shared-secret"
}

/// Which way a record came in.
public enum RecordOrigin: String, Sendable, CaseIterable {
    /// Apple posted it.
    case live
    /// Fetched with Get Notification History.
    case history
    /// Brought back by an operator.
    case replay
}

extension [RecordHeader] {
    /// Text of the first header of that name; nil if there is none or it is not UTF-8.
    public func text(_ name: RecordHeaderName) -> String? { first { $0.name == name.rawValue }?.text }
}

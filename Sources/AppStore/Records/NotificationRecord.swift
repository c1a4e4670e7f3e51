public import AppStoreModel
public import JSON
public import KafkaModel

/// A record consumed from a notification topic.
///
/// Reading is tolerant: unknown members and headers are ignored, and a payload reports a field of the wrong type
/// without affecting the rest. The value is scanned once, but each access to a payload parses it again, so store the
/// result.
public struct NotificationRecord: Sendable {
    /// The key as text, or nil if the record has no key or it is not UTF-8.
    public let key: String?
    public let headers: [KafkaHeader]
    /// The scanned value.
    public let value: JSONElement

    /// The scanned payload, for readers of individual members.
    package let notificationElement: JSONElement

    /// Parses a consumed record. See ``init(key:value:headers:)``.
    public init(_ record: KafkaRecord) throws(RecordError) {
        try self.init(key: record.key, value: record.value, headers: record.headers)
    }

    /// - Throws: ``RecordError`` if the value is null (a tombstone, which has no meaning in a notification topic), is
    ///   not strict JSON, or has no notification. A retry cannot succeed, so skip or dead-letter the record.
    public init(key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader]) throws(RecordError) {
        guard let value else { throw RecordError(.nullValue) }
        let document: JSONDocument
        do {
            document = try JSONDocument.object(
                value, maximumBytes: Self.maximumValueBytes, maximumDepth: JSONDocument.defaultMaximumDepth + 1)
        } catch {
            throw RecordError(.invalidJSON, cause: error)
        }
        guard let notification = document.root[member: .notification], notification.kind == .object else {
            throw RecordError(.noNotification)
        }
        self.key = key.flatMap { String(validating: $0, as: UTF8.self) }
        self.headers = headers
        self.value = document.root
        notificationElement = notification
    }

    /// Creates a copy of a parsed record with different headers.
    package init(_ record: NotificationRecord, headers: [KafkaHeader]) {
        key = record.key
        self.headers = headers
        value = record.value
        notificationElement = record.notificationElement
    }

    /// The maximum length of a value in bytes.
    public static let maximumValueBytes = 16 << 20

    // MARK: Payloads

    public var notification: NotificationPayload { NotificationPayload(notificationElement) }

    /// The transaction, or nil if Apple sent none.
    public var transaction: TransactionPayload? { object(.transaction).map { TransactionPayload($0) } }

    /// The renewal info, or nil if Apple sent none.
    public var renewalInfo: RenewalInfoPayload? { object(.renewalInfo).map { RenewalInfoPayload($0) } }

    /// The app transaction, or nil if Apple sent none.
    public var appTransaction: AppTransactionPayload? { object(.appTransaction).map { AppTransactionPayload($0) } }

    /// For version 1 and earlier, the body as received, without the secret.
    public var legacy: JSONElement? { object(.legacy) }

    /// The compact JWS as received, in the rare records without ``proof``. See ``rebuild(header:)``.
    public var signedPayload: String? { value[member: .signedPayload]?.string }

    /// The scanned payload of the transaction, or nil if Apple sent none.
    package var transactionElement: JSONElement? { object(.transaction) }

    /// The scanned payload of the renewal info, or nil if Apple sent none.
    package var renewalInfoElement: JSONElement? { object(.renewalInfo) }

    private func object(_ member: RecordMember) -> JSONElement? {
        value[member: member].flatMap { $0.kind == .object ? $0 : nil }
    }

    // MARK: Headers

    /// The environment in the headers, or nil if it is absent or is not a published environment.
    public var environment: AppStoreEnvironment? {
        headers.text(.environment).flatMap { AppStoreEnvironment(published: $0) }
    }

    public var bundleId: BundleId? { headers.text(.bundleId).map { BundleId($0) } }

    public var notificationUUID: NotificationUUID? { headers.text(.id).map { NotificationUUID($0) } }

    /// The subject in the CloudEvents headers.
    public var originalTransactionId: OriginalTransactionId? {
        headers.text(.subject).map { OriginalTransactionId($0) }
    }

    public var receivedAt: AppStoreInstant? { headers.text(.receivedTime).flatMap { AppStoreInstant(rfc3339: $0) } }

    public var trust: RecordTrust? { headers.text(.trust).flatMap { RecordTrust(rawValue: $0) } }

    public var origin: RecordOrigin? { headers.text(.origin).flatMap { RecordOrigin(rawValue: $0) } }

    public var traceParent: String? { headers.text(.traceParent) }
}

extension JSONElement {
    subscript(member member: RecordMember) -> JSONElement? {
        switch member {
        case .notification: self["notification"]
        case .transaction: self["transaction"]
        case .renewalInfo: self["renewalInfo"]
        case .appTransaction: self["appTransaction"]
        case .legacy: self["legacy"]
        case .proof: self["proof"]
        case .signedPayload: self["signedPayload"]
        }
    }
}

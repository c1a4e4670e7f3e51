public import AppStoreModel
public import JSON

/// A version 1 notification or status update, parsed and mapped to version 2.
///
/// Both formats contain the customer's receipt and an event type that does not fully describe the event. The
/// transaction, the event and its time are computed from the receipt. Nothing in these bodies is signed: any client
/// with the app's secret can write anything, so signed facts take precedence over these facts.
public struct LegacyNotification: Sendable {
    /// The maximum number of transactions, and of renewals. A body that exceeds it is quarantined.
    public static let maximumElements = 1000

    public let source: LegacySource
    /// The environment, either Production or Sandbox.
    public let environment: AppStoreEnvironment
    public let bundleId: BundleId
    /// The `notification_type` as sent.
    public let rawType: String
    /// The nearest version 2 type, or ``unknownType`` for an undocumented type.
    public let notificationType: NotificationType
    public let subtype: Subtype?
    /// The SHA-256 digest of the values that identify the event, as 64 hexadecimal digits. If the body contains the
    /// date of the event, every delivery attempt has the same digest; otherwise, the digest differs for each body
    /// received.
    public let eventId: String
    /// The time of the event according to the body, but no later than `receivedAt`.
    public let eventTime: AppStoreInstant
    /// The originalTransactionId in the body or, if absent, that of the subject transaction.
    public let originalTransactionId: OriginalTransactionId?
    /// The subject transaction, or nil if it cannot be determined. In that case, the notification changes no
    /// entitlement.
    public let transactionId: TransactionId?
    /// A JSON object with `notificationType`, `subtype`, `notificationUUID`, `version`, `signedDate`, `rawType` and
    /// `data`.
    public let notification: [UInt8]
    /// A version 2 transaction payload with every field that the body provides, or nil if ``transactionId`` is nil.
    public let transaction: [UInt8]?
    /// A version 2 renewal info payload, or nil if the body has no renewal data or the subject is unknown or not an
    /// auto-renewable subscription.
    public let renewalInfo: [UInt8]?
    /// The body as received, without the members that ``LegacyBody/redacted()`` removes.
    public let legacy: [UInt8]
    /// The number of fields treated as absent because they contain no valid date, number or flag.
    public let ignoredFields: Int

    /// All documented values of ``rawType``, for both formats.
    public static let documentedTypes = LegacyType.documented.map(\.rawValue)

    /// The ``notificationType`` for undocumented types.
    public static var unknownType: NotificationType { LegacyMapping.unknown }

    /// Parses a body.
    ///
    /// - Parameters:
    ///   - body: a scanned object; its `password` has been checked.
    ///   - bundleId: the app for which the body was received; an app named in the body must match it.
    ///   - receivedAt: the time of receipt. If the body does not contain the date of the event, this time is part of
    ///     the identity; if the body contains no date at all, it is also used as the time of the event.
    /// - Throws: ``LegacyError``, with the response to the sender.
    public init(_ body: JSONDocument, bundleId: BundleId, receivedAt: AppStoreInstant) throws(LegacyError) {
        // Parse the body without the secret, so that the secret cannot be copied to a key, header or payload.
        legacy = LegacyBody(body).redacted()
        let kept = try LegacyBody(Self.document(legacy))
        environment = try Self.environment(of: kept)
        try Self.checkApp(kept, bundleId)
        let event = try LegacyEvent(kept, receivedAt: receivedAt)
        let payloads = LegacyPayloads(event: event, environment: environment, bundleId: bundleId)
        var ignoredFields = event.ignoredFields

        source = event.statement.source
        self.bundleId = bundleId
        rawType = event.statement.type.rawValue
        (notificationType, subtype) = LegacyMapping.type(of: event)
        eventId = LegacyIdentity.eventId(
            event, environment: environment, bundleId: bundleId, receivedAt: receivedAt)
        eventTime = event.time
        originalTransactionId =
            event.statement.originalTransactionId ?? event.subject?.transaction.originalTransactionId
        transactionId = event.subject?.transaction.transactionId
        notification = payloads.notification(eventId: eventId, notificationType, subtype)
        transaction = try payloads.transaction(&ignoredFields)
        renewalInfo = payloads.renewalInfo()
        self.ignoredFields = ignoredFields
    }

    private static func document(_ legacy: [UInt8]) throws(LegacyError) -> JSONDocument {
        do {
            return try JSONDocument.object(legacy, maximumBytes: legacy.count, maximumDepth: legacy.count)
        } catch {
            throw LegacyError(.receipt, "the body is not an object")
        }
    }

    private static func environment(of body: LegacyBody) throws(LegacyError) -> AppStoreEnvironment {
        guard let environment = body.environment else {
            throw LegacyError(.environment, "environment is neither PROD nor Sandbox")
        }
        // The receipt calls the production environment `Production`; the body calls it `PROD`.
        guard let receipt = body.root["unified_receipt"], let inner = LegacyObject(receipt)["environment"] else {
            return environment
        }
        guard let name = inner.string else { throw LegacyError(.receipt, "the receipt's environment is not a string") }
        guard name == environment.rawValue else {
            throw AppStoreEnvironment(name).isKnown
                ? LegacyError(.environmentMismatch, "the receipt's environment does not match the body's")
                : LegacyError(.receipt, "the receipt's environment is unknown")
        }
        return environment
    }

    private static func checkApp(_ body: LegacyBody, _ bundleId: BundleId) throws(LegacyError) {
        switch body.bundleId {
        case .absent: return
        case .value(let named):
            guard named == bundleId else { throw LegacyError(.otherApp, "bid does not match the app") }
        case .malformed: throw LegacyError(.text, "bid is not a bundle id")
        }
    }
}

public import AppStoreModel
public import JSON

/// A version 1 or status update notification, read and mapped to version 2.
///
/// Both forms carry the customer's receipt and an event type that does not tell what happened; which transaction it is
/// about, what became of it and when is computed from the receipt. Nothing in them is signed: whoever knows the app's
/// secret can write anything, so the facts in them rank below signed ones.
public struct LegacyNotification: Sendable {
    /// A body with more transactions or renewals is quarantined.
    public static let maximumElements = 1000

    public let source: LegacySource
    /// Production or Sandbox.
    public let environment: AppStoreEnvironment
    public let bundleId: BundleId
    /// `notification_type` as sent.
    public let rawType: String
    /// The nearest type of version 2; ``unknownType`` for a type that is not documented.
    public let notificationType: NotificationType
    public let subtype: Subtype?
    /// A SHA-256 digest of what it says, 64 hexadecimal digits: the same for every attempt to send it, where its type has
    /// a date of its own; of others each body received is one of its own.
    public let eventId: String
    /// When it happened, as far as the body tells; never later than `receivedAt`.
    public let eventTime: AppStoreInstant
    /// As the body names it, else that of the transaction it is about.
    public let originalTransactionId: OriginalTransactionId?
    /// Nil where it is not known which transaction it is about: such a notification changes no entitlement.
    public let transactionId: TransactionId?
    /// `notificationType`, `subtype`, `notificationUUID`, `version`, `signedDate`, `rawType` and `data`, as JSON object.
    public let notification: [UInt8]
    /// A transaction payload of version 2 with every field that has a source; nil where ``transactionId`` is.
    public let transaction: [UInt8]?
    /// A renewal info payload of version 2; nil where nothing is said about a renewal, and where ``transactionId`` is.
    public let renewalInfo: [UInt8]?
    /// The body as received, less what ``LegacyBody/redacted()`` takes out.
    public let legacy: [UInt8]
    /// Fields that were sent, but are no valid date, number or flag; they read as absent.
    public let ignoredFields: Int

    /// Every ``rawType`` that is documented, for both forms.
    public static let documentedTypes = LegacyType.documented.map(\.rawValue)

    /// What ``notificationType`` is where the type as sent is not documented.
    public static var unknownType: NotificationType { LegacyMapping.unknown }

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - body: a scanned object whose `password` has been checked.
    ///   - bundleId: the app it was received for. One that the body names must be the same.
    ///   - receivedAt: stands for the time of what has none, and is part of the identity of a type without a date.
    /// - Throws: ``LegacyFault``: its outcome says what the sender is told.
    public init(_ body: JSONDocument, bundleId: BundleId, receivedAt: AppStoreInstant) throws(LegacyFault) {
        // Read from what is left without the secret: no text that repeats it can reach a key, header or payload.
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

    private static func document(_ legacy: [UInt8]) throws(LegacyFault) -> JSONDocument {
        do {
            return try JSONDocument.object(legacy, maximumBytes: legacy.count, maximumDepth: legacy.count)
        } catch {
            throw LegacyFault(.receipt, "the body is no object")
        }
    }

    private static func environment(of body: LegacyBody) throws(LegacyFault) -> AppStoreEnvironment {
        guard let environment = body.environment else {
            throw LegacyFault(.environment, "environment is neither PROD nor Sandbox")
        }
        // Inside the receipt production has its usual name.
        guard let receipt = body.root["unified_receipt"], let inner = LegacyObject(receipt)["environment"] else {
            return environment
        }
        guard let name = inner.string else { throw LegacyFault(.receipt, "the receipt's environment is no text") }
        guard name == environment.rawValue else {
            throw AppStoreEnvironment(name).isKnown
                ? LegacyFault(.environmentMismatch, "the receipt is of another environment")
                : LegacyFault(.receipt, "the receipt's environment is unknown")
        }
        return environment
    }

    private static func checkApp(_ body: LegacyBody, _ bundleId: BundleId) throws(LegacyFault) {
        switch body.bundleId {
        case .absent: return
        case .value(let named):
            guard named == bundleId else { throw LegacyFault(.otherApp, "bid is another app") }
        case .malformed: throw LegacyFault(.text, "bid is no bundle id")
        }
    }
}

internal import AppStoreModel
internal import JSON

/// A nested payload as signed, with its parsed envelope.
struct NestedPayload<Envelope> {
    let payload: [UInt8]
    let envelope: Envelope
}

/// A notification's nested signed objects, each verified with its own header, certificate chain and signature.
struct NestedObjects {
    var transaction: NestedPayload<TransactionEnvelope>?
    var renewalInfo: NestedPayload<RenewalInfoEnvelope>?
    var appTransaction: NestedPayload<AppTransactionEnvelope>?
    /// Whether the revocation status of any of the objects' certificates is unknown.
    var isRevocationUnknown = false
}

/// The nested objects of a payload with a valid signature. Each property contains the parsed object or the reason why
/// it cannot be parsed, or is nil if the object is absent.
struct OpenedNestedObjects {
    let transaction: Result<OpenedObject, Refusal>?
    let renewalInfo: Result<OpenedObject, Refusal>?
    let appTransaction: Result<OpenedObject, Refusal>?

    /// The successfully parsed objects, whose signatures can be verified.
    var objects: [OpenedObject] { [transaction, renewalInfo, appTransaction].compactMap { try? $0?.get() } }
}

/// Verifies the nested objects of a payload with a valid signature. There is only one level of nesting: nested payloads
/// are not searched for further objects.
struct NestedObjectVerifier {
    private static let transaction = "signedTransactionInfo"
    private static let renewalInfo = "signedRenewalInfo"
    private static let appTransaction = "signedAppTransactionInfo"

    let verifier: SignedObjectVerifier
    let revocation: RevocationChecker
    /// The current time, in milliseconds since 1970.
    let now: Int64
    let moment: CertificateMoment

    /// Parses the nested objects. A refusal is stored rather than thrown: ``verify(_:for:)`` must complete all checks
    /// of one object before it reports a refusal of the next.
    func open(_ envelope: NotificationEnvelope, in payload: [UInt8]) -> OpenedNestedObjects {
        OpenedNestedObjects(
            transaction: open(envelope.signedTransactionInfo, in: payload, Self.transaction),
            renewalInfo: open(envelope.signedRenewalInfo, in: payload, Self.renewalInfo),
            appTransaction: open(envelope.signedAppTransactionInfo, in: payload, Self.appTransaction))
    }

    func verify(
        _ opened: OpenedNestedObjects, for audience: AudienceCheck.Audience
    ) throws(Refusal) -> NestedObjects {
        var nested = NestedObjects()
        if let document = try document(opened.transaction, Self.transaction, &nested.isRevocationUnknown) {
            let transaction = TransactionEnvelope(document)
            try ProfileChecks.checkDate(transaction.signedDate, of: Self.transaction, at: now, isRequired: false)
            try NestedObjectChecks.check(transaction, for: audience)
            nested.transaction = NestedPayload(payload: document.bytes, envelope: transaction)
        }
        if let document = try document(opened.renewalInfo, Self.renewalInfo, &nested.isRevocationUnknown) {
            let renewalInfo = RenewalInfoEnvelope(document)
            try ProfileChecks.checkDate(renewalInfo.signedDate, of: Self.renewalInfo, at: now, isRequired: false)
            try NestedObjectChecks.check(renewalInfo, with: nested.transaction?.envelope, for: audience)
            nested.renewalInfo = NestedPayload(payload: document.bytes, envelope: renewalInfo)
        }
        if let document = try document(opened.appTransaction, Self.appTransaction, &nested.isRevocationUnknown) {
            let appTransaction = AppTransactionEnvelope(document)
            try NestedObjectChecks.check(appTransaction, for: audience)
            nested.appTransaction = NestedPayload(payload: document.bytes, envelope: appTransaction)
        }
        return nested
    }

    private func open(
        _ field: EnvelopeField<Range<Int>>, in payload: [UInt8], _ name: String
    ) -> Result<OpenedObject, Refusal>? {
        switch field {
        case .absent: return nil
        case .malformed: return .failure(Refusal(.profileNested, "\(name): not a string"))
        case .value(let range):
            do throws(Refusal) {
                return .success(try verifier.open(payload[range], at: now, isNested: true))
            } catch {
                return .failure(Self.nested(error, name))
            }
        }
    }

    /// Returns the scanned payload of a nested object, or nil if there is none.
    private func document(
        _ opened: Result<OpenedObject, Refusal>?, _ name: String, _ isRevocationUnknown: inout Bool
    ) throws(Refusal) -> JSONDocument? {
        guard let opened = try opened?.get() else { return nil }
        let object = try signedObject(opened, name, &isRevocationUnknown)
        try ProfileChecks.checkHeader(object.header, of: name)
        let document = try ProfileChecks.document(object.payload, of: name)
        if moment == .signature { try checkValidity(of: object, document, name) }
        try TextChecks.checkEscapes(document, of: name)
        return document
    }

    private func checkValidity(
        of object: SignedObject, _ document: JSONDocument, _ name: String
    ) throws(Refusal) {
        do throws(Refusal) {
            try SignatureChecks.checkValidity(of: object.header.path, whenSigned: document, now: now)
        } catch {
            throw Refusal(.profileNested, "\(name): \(error.reason)")
        }
    }

    private func signedObject(
        _ opened: OpenedObject, _ name: String, _ isRevocationUnknown: inout Bool
    ) throws(Refusal) -> SignedObject {
        do throws(Refusal) {
            let object = try verifier.verify(opened)
            if moment == .present { try SignatureChecks.checkValidity(of: object.header.path, at: now) }
            try SignatureChecks.checkRevocation(of: object.header, by: revocation, in: verifier.cache, at: now)
            if try SignatureChecks.isRevocationUnknown(of: object.header, by: revocation, at: now) {
                isRevocationUnknown = true
            }
            verifier.fixedKeys?.makeTable(for: object, at: now)
            return object
        } catch {
            throw Self.nested(error, name)
        }
    }

    /// Turns the refusal of a nested object into a quarantine decision. The outer signature is valid, so Apple signed
    /// the notification. If a retry can help, the refusal remains unchanged.
    private static func nested(_ refusal: Refusal, _ name: String) -> Refusal {
        refusal.status < 500 ? Refusal(.profileNested, "\(name): \(refusal.reason)") : refusal
    }
}

/// Part of check 14: the nested objects that this notification type requires are present, are of the right kind, and
/// belong to the same app, environment and purchase as the notification. Renewal info has no bundleId, so without this
/// check an authentic object from another app could be substituted.
enum NestedObjectChecks {
    // Apple's documentation lists the nested objects by type. Unlisted and unknown types require none.
    private static let aboutSubscription: Set<NotificationType> = [
        .subscribed, .didRenew, .didFailToRenew, .gracePeriodExpired, .expired, .didChangeRenewalStatus,
        .didChangeRenewalPref, .offerRedeemed, .priceIncrease, .renewalExtended,
    ]
    private static let aboutPurchase: Set<NotificationType> = [
        .refund, .refundReversed, .refundDeclined, .consumptionRequest, .revoke, .oneTimeCharge,
    ]

    /// Checks that a notification about a purchase contains the objects that identify the purchase.
    static func checkPresence(in envelope: NotificationEnvelope, type: NotificationType) throws(Refusal) {
        switch envelope.containers.first {
        case .data:
            if aboutSubscription.contains(type) || aboutPurchase.contains(type), envelope.signedTransactionInfo.isAbsent
            {
                throw Refusal(.profileNested, "signedTransactionInfo is absent")
            }
        case .appData:
            guard !envelope.signedAppTransactionInfo.isAbsent else {
                throw Refusal(.profileNested, "signedAppTransactionInfo is absent")
            }
        case .summary, .externalPurchaseToken, .unclaimInfo, .other, nil: return
        }
    }

    /// Returns whether the notification is about a subscription but lacks the renewal info that Apple documents for its
    /// type. Such a notification is accepted nevertheless, because access depends on the transaction.
    static func lacksRenewalInfo(_ envelope: NotificationEnvelope) -> Bool {
        guard case .data = envelope.containers.first, let type = envelope.notificationType.value else { return false }
        return aboutSubscription.contains(type) && envelope.signedRenewalInfo.isAbsent
    }

    static func check(_ transaction: TransactionEnvelope, for audience: AudienceCheck.Audience) throws(Refusal) {
        let name = "signedTransactionInfo"
        try TextChecks.check(transaction.transactionId, "transactionId", TextGrammar.isNumber)
        try TextChecks.check(transaction.originalTransactionId, "originalTransactionId", TextGrammar.isNumber)
        try TextChecks.check(transaction.appTransactionId, "appTransactionId", TextGrammar.isToken)
        guard transaction.isTransaction else { throw refusal(name, "not a transaction") }
        guard transaction.bundleId.value == audience.app.bundleId else {
            throw refusal(name, "belongs to a different app")
        }
        guard transaction.environment.value == audience.environment else {
            throw refusal(name, "belongs to a different environment")
        }
    }

    static func check(
        _ renewalInfo: RenewalInfoEnvelope, with transaction: TransactionEnvelope?,
        for audience: AudienceCheck.Audience
    ) throws(Refusal) {
        let name = "signedRenewalInfo"
        try TextChecks.check(renewalInfo.originalTransactionId, "originalTransactionId", TextGrammar.isNumber)
        try TextChecks.check(renewalInfo.appTransactionId, "appTransactionId", TextGrammar.isToken)
        guard renewalInfo.isRenewalInfo else { throw refusal(name, "not renewal info") }
        guard renewalInfo.environment.value == audience.environment else {
            throw refusal(name, "belongs to a different environment")
        }
        if let transaction, transaction.originalTransactionId.value != renewalInfo.originalTransactionId.value {
            throw refusal(name, "belongs to a different purchase than signedTransactionInfo")
        }
    }

    static func check(_ appTransaction: AppTransactionEnvelope, for audience: AudienceCheck.Audience) throws(Refusal) {
        let name = "signedAppTransactionInfo"
        try TextChecks.check(appTransaction.appTransactionId, "appTransactionId", TextGrammar.isToken)
        guard let environment = appTransaction.receiptType.value else { throw refusal(name, "not an app transaction") }
        guard appTransaction.bundleId.value == audience.app.bundleId else {
            throw refusal(name, "belongs to a different app")
        }
        guard environment == audience.environment else { throw refusal(name, "belongs to a different environment") }
        guard appTransaction.appAppleId.fault == nil else {
            throw Refusal(.profileNumber, "\(name): appAppleId is not a whole number")
        }
        if environment == .production, appTransaction.appAppleId.value != audience.app.appAppleId {
            throw refusal(name, "belongs to a different app")
        }
    }

    private static func refusal(_ object: String, _ detail: String) -> Refusal {
        Refusal(.profileNested, "\(object): \(detail)")
    }
}

internal import AppStoreModel
internal import JSON

/// A nested payload as signed, and what was read of it.
struct NestedPayload<Envelope> {
    let payload: [UInt8]
    let envelope: Envelope
}

/// The nested signed objects of one notification, each verified under its own header, chain and signature.
struct NestedObjects {
    var transaction: NestedPayload<TransactionEnvelope>?
    var renewalInfo: NestedPayload<RenewalInfoEnvelope>?
    var appTransaction: NestedPayload<AppTransactionEnvelope>?
}

/// Verifies the nested texts of a payload whose own signature stands. Only one level: a nested payload is not searched for
/// further texts.
struct NestedObjectVerifier {
    let verifier: SignedObjectVerifier
    let revocation: RevocationChecker
    /// Milliseconds since 1970.
    let now: Int64

    func verify(
        _ envelope: NotificationEnvelope, in payload: [UInt8], for audience: AudienceCheck.Audience
    ) throws(Rejection) -> NestedObjects {
        var nested = NestedObjects()
        if let document = try document(envelope.signedTransactionInfo, in: payload, "signedTransactionInfo") {
            let transaction = TransactionEnvelope(document)
            try SignedDateCheck.check(
                transaction.signedDate, of: "signedTransactionInfo", at: now, isRequired: false)
            try NestedConsistencyCheck.check(transaction, for: audience)
            nested.transaction = NestedPayload(payload: document.bytes, envelope: transaction)
        }
        if let document = try document(envelope.signedRenewalInfo, in: payload, "signedRenewalInfo") {
            let renewalInfo = RenewalInfoEnvelope(document)
            try SignedDateCheck.check(renewalInfo.signedDate, of: "signedRenewalInfo", at: now, isRequired: false)
            try NestedConsistencyCheck.check(renewalInfo, with: nested.transaction?.envelope, for: audience)
            nested.renewalInfo = NestedPayload(payload: document.bytes, envelope: renewalInfo)
        }
        if let document = try document(envelope.signedAppTransactionInfo, in: payload, "signedAppTransactionInfo") {
            let appTransaction = AppTransactionEnvelope(document)
            try NestedConsistencyCheck.check(appTransaction, for: audience)
            nested.appTransaction = NestedPayload(payload: document.bytes, envelope: appTransaction)
        }
        return nested
    }

    /// The scanned payload of one nested text; nil where there is none.
    private func document(
        _ field: EnvelopeField<Range<Int>>, in payload: [UInt8], _ name: String
    ) throws(Rejection) -> JSONDocument? {
        switch field {
        case .absent: return nil
        case .malformed: throw .nonconforming(.profileNested, detail: "\(name): not a text")
        case .value(let range):
            let object = try signedObject(Array(payload[range]), name)
            try CriticalMemberCheck.check(object.header, of: name)
            try ChainShapeCheck.check(object.header.path, of: name)
            let document = try EncodingCheck.document(object.payload, of: name)
            try TextCheck.checkEscapes(document, of: name)
            return document
        }
    }

    /// A nested text that is not Apple's does not make the notification somebody else's: the outer signature stands. What
    /// a retry can heal stays worth a retry.
    private func signedObject(_ jws: [UInt8], _ name: String) throws(Rejection) -> SignedObject {
        do throws(Rejection) {
            let object = try verifier.verify(jws, at: now, isNested: true)
            try ValidityCheck.check(object.header.path, at: now)
            try RevocationCheck.check(object.header, by: revocation, in: verifier.cache, at: now)
            return object
        } catch {
            guard case .refused(let refusal) = error, refusal.statusClass != .unavailable else { throw error }
            throw .nonconforming(.profileNested, detail: "\(name): \(refusal.reason)")
        }
    }
}

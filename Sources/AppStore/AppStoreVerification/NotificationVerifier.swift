internal import AppStoreModel
internal import Cryptography
internal import JSON

/// Decides whether a body is a notification that Apple signed for one of our apps.
///
/// Synchronous and safe to call from any number of threads; nothing in it waits, logs or asks the network. The present
/// is an argument, so that tests and a history import can judge at another time.
public final class NotificationVerifier: Sendable {
    let objects: SignedObjectVerifier
    let revocation: RevocationChecker
    let audience: AudienceCheck
    let requiresVersion: Bool

    /// - Parameter requester: who asks about revocation; needed unless the policy is `off`. Asking happens in
    ///   ``runRevocationChecks()``.
    /// - Throws: ``VerifierSetupError`` when a root is unusable, this machine's OpenSSL cannot verify it, or the
    ///   configuration lets nothing through. The process should print it and end.
    public init(
        _ configuration: VerifierConfiguration, requester: (any OCSPRequester)? = nil
    ) throws(VerifierSetupError) {
        try configuration.validate(requester: requester)
        revocation = RevocationChecker(policy: configuration.revocation, requester: requester)
        objects = SignedObjectVerifier(
            trust: try configuration.trustStore(), revocation: revocation,
            newCertificateChains: configuration.newCertificateChains)
        audience = AudienceCheck(apps: configuration.apps)
        requiresVersion = configuration.requiresVersion
    }

    /// The verdict on a request's body, `{"signedPayload":"…"}`.
    /// - Parameter now: milliseconds since 1970.
    public func verify(body: [UInt8], at now: Int64) -> Verdict {
        do throws(Rejection) {
            switch try BodyCheck.content(of: body) {
            case .signedPayload(let jws): return verify(signedPayload: jws, at: now)
            case .legacy: return .legacy
            }
        } catch {
            return verdict(error, envelope: nil, certificates: nil, digest: nil)
        }
    }

    /// The verdict on a compact JWS, as the App Store Server API's history returns it.
    /// - Parameter now: milliseconds since 1970.
    public func verify(signedPayload: [UInt8], at now: Int64) -> Verdict {
        // What is known when a check ends the decision, for the log and for quarantine.
        var envelope: NotificationEnvelope?
        var certificates: CertificateSerials?
        var digest: SHA256Digest?
        do throws(Rejection) {
            let object = try objects.verify(signedPayload, at: now)
            let path = object.header.path
            certificates = path.serials
            digest = object.digest
            try ValidityCheck.check(path, at: now)
            try RevocationCheck.check(object.header, by: revocation, in: objects.cache, at: now)
            let document = try EncodingCheck.document(object.payload, of: "payload")
            let read = NotificationEnvelope(document)
            envelope = read
            try AudienceCheck.checkKind(read)
            let audience = try audience.audience(read, in: document)
            try checkProfile(object, document, read, at: now)
            let nested = try NestedObjectVerifier(verifier: objects, revocation: revocation, now: now)
                .verify(read, in: object.payload, for: audience)
            return .accepted(
                VerifiedNotification(
                    signedPayload: signedPayload, notification: object.payload, envelope: read, nested: nested,
                    certificates: path.serials, reason: audience.isUnexpectedSandbox ? .sandbox : nil))
        } catch {
            return verdict(error, envelope: envelope, certificates: certificates, digest: digest)
        }
    }

    /// Asks about revocation in the background until the task is cancelled; returns at once with policy `off`.
    public func runRevocationChecks() async {
        await revocation.run(clock: WallClock.milliseconds, pause: .milliseconds(250))
    }

    /// What is known about revocation.
    /// - Parameter now: milliseconds since 1970.
    public func revocationStatus(at now: Int64) -> RevocationStatus {
        revocation.status(at: now)
    }

    /// How many certificate paths have been examined since the start; a known path is examined every 15 minutes.
    public var chainValidations: Int { objects.validations }

    /// Check 14 without the nested objects.
    private func checkProfile(
        _ object: SignedObject, _ document: JSONDocument, _ envelope: NotificationEnvelope, at now: Int64
    ) throws(Rejection) {
        try CriticalMemberCheck.check(object.header, of: "signedPayload")
        try ChainShapeCheck.check(object.header.path, of: "signedPayload")
        let type = try NotificationTypeCheck.type(envelope)
        try NotificationUUIDCheck.check(envelope)
        if requiresVersion { try VersionCheck.check(envelope) }
        try SignedDateCheck.check(envelope.signedDate, of: "signedPayload", at: now, isRequired: true)
        try TextCheck.check(envelope.externalPurchaseId, "externalPurchaseId", TextCheck.isToken)
        try TextCheck.check(envelope.requestIdentifier, "requestIdentifier", TextCheck.isToken)
        try TextCheck.checkEscapes(document, of: "signedPayload")
        try NestedPresenceCheck.check(envelope, type: type)
    }

    func verdict(
        _ rejection: Rejection, envelope: NotificationEnvelope?, certificates: CertificateSerials?,
        digest: SHA256Digest?
    ) -> Verdict {
        switch rejection {
        case .tooManyNewCertificateChains: return .tooManyNewCertificateChains
        case .refused(let refusal):
            if refusal.statusClass == .unavailable { return .retryLater(refusal) }
            return refusal.step == .audience ? .notForUs(refusal) : .notApple(refusal)
        case .nonconforming(let reason, let detail):
            let bundleId = envelope?.bundleId.value.flatMap { audience.isConfigured($0) ? $0.rawValue : nil }
            let id = envelope?.notificationUUID.value.flatMap { $0.isWellFormed ? $0.rawValue : nil }
            return .nonconforming(
                NonconformingNotification(
                    reason: reason, detail: detail, bundleId: bundleId,
                    environment: envelope?.environment.value?.rawValue, notificationUUID: id,
                    certificates: certificates, signedPartDigest: digest?.bytes))
        }
    }
}

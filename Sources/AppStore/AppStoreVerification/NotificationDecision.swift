internal import AppStoreModel
internal import Cryptography

/// The state of one notification between checks. Several notifications advance from signature to signature together,
/// because verifying a batch of signatures with a precomputed key table is cheaper than verifying each one alone.
enum NotificationProgress {
    case decided(Verdict)
    /// All checks up to check 9 have passed; the signature is next. **The content is not trusted yet.**
    case opened(signedText: ArraySlice<UInt8>, OpenedObject)
    /// Everything except the nested objects has passed. The signatures of the nested objects are next.
    case authentic(AuthenticNotification)

    /// The objects whose signatures are verified next.
    var signatures: [OpenedObject] {
        switch self {
        case .decided: []
        case .opened(_, let object): [object]
        case .authentic(let notification): notification.nested.objects
        }
    }
}

/// A notification that Apple signed for one of our apps, with its nested objects parsed.
struct AuthenticNotification {
    let signedText: ArraySlice<UInt8>
    let object: SignedObject
    let envelope: NotificationEnvelope
    let audience: AudienceCheck.Audience
    let isRevocationUnknown: Bool
    let nested: OpenedNestedObjects
}

extension NotificationVerifier {
    /// Runs checks 4 to 9.
    func open(_ signedText: ArraySlice<UInt8>, at now: Int64) -> NotificationProgress {
        do throws(Refusal) {
            return .opened(signedText: signedText, try objects.open(signedText, at: now))
        } catch {
            return .decided(verdict(error))
        }
    }

    /// Returns the verdicts, in the same order as `opened`.
    func decide(
        _ opened: [NotificationProgress], at now: Int64, _ moment: CertificateMoment,
        _ isAcknowledged: (NotificationUUID, AppStoreEnvironment) -> Bool
    ) -> [Verdict] {
        objects.fixedKeys?.judge(opened.flatMap(\.signatures))
        let authentic = opened.map { authenticate($0, at: now, moment, isAcknowledged) }
        objects.fixedKeys?.judge(authentic.flatMap(\.signatures))
        return authentic.map { finish($0, at: now, moment) }
    }

    /// Runs checks 10 to 13 and check 14 for the outer payload, looks for a stored duplicate, and parses the nested
    /// objects.
    private func authenticate(
        _ progress: NotificationProgress, at now: Int64, _ moment: CertificateMoment,
        _ isAcknowledged: (NotificationUUID, AppStoreEnvironment) -> Bool
    ) -> NotificationProgress {
        guard case .opened(let signedText, let opened) = progress else { return progress }
        // These variables are declared before the checks so that, after a failed check, the log and the quarantine
        // record contain everything read up to that point.
        var envelope: NotificationEnvelope?
        var certificates: CertificateSerials?
        var digest: SHA256Digest?
        do throws(Refusal) {
            let object = try objects.verify(opened)
            let path = object.header.path
            certificates = path.serials
            digest = object.digest
            if moment == .present { try SignatureChecks.checkValidity(of: path, at: now) }
            try SignatureChecks.checkRevocation(of: object.header, by: revocation, in: objects.cache, at: now)
            let (document, read) = try ProfileChecks.notification(object.payload)
            if moment == .signature {
                try SignatureChecks.checkValidity(of: path, whenSigned: document, now: now)
            }
            envelope = read
            try AudienceCheck.checkKind(read)
            let audience = try audience.audience(read)
            let isUnknown = try SignatureChecks.isRevocationUnknown(of: object.header, by: revocation, at: now)
            try ProfileChecks.check(object, document, read, requiresVersion: requiresVersion, at: now)
            if let id = read.notificationUUID.value, isAcknowledged(id, audience.environment) {
                return .decided(.duplicate(read))
            }
            return .authentic(
                AuthenticNotification(
                    signedText: signedText, object: object, envelope: read, audience: audience,
                    isRevocationUnknown: isUnknown,
                    nested: nestedVerifier(at: now, moment).open(read, in: object.payload)))
        } catch {
            return .decided(verdict(error, envelope, certificates, digest))
        }
    }

    /// Runs check 14 for the nested objects.
    private func finish(_ progress: NotificationProgress, at now: Int64, _ moment: CertificateMoment) -> Verdict {
        let notification: AuthenticNotification
        switch progress {
        case .decided(let verdict): return verdict
        case .authentic(let authentic): notification = authentic
        case .opened:
            return verdict(Refusal(.internal, "the signature was not verified", at: .signature))
        }
        let (object, certificates) = (notification.object, notification.object.header.path.serials)
        objects.fixedKeys?.makeTable(for: object, at: now)
        do throws(Refusal) {
            let nested = try nestedVerifier(at: now, moment).verify(notification.nested, for: notification.audience)
            if notification.isRevocationUnknown || nested.isRevocationUnknown { revocation.countAcceptedUnknown() }
            return .accepted(
                VerifiedNotification(
                    signedText: notification.signedText, notification: object.payload,
                    envelope: notification.envelope, nested: nested, certificates: certificates,
                    reason: notification.audience.isUnexpectedSandbox ? .sandbox : nil))
        } catch {
            return verdict(error, notification.envelope, certificates, object.digest)
        }
    }

    private func nestedVerifier(at now: Int64, _ moment: CertificateMoment) -> NestedObjectVerifier {
        NestedObjectVerifier(verifier: objects, revocation: revocation, now: now, moment: moment)
    }
}

internal import AppStoreModel
internal import Cryptography
internal import JSON

/// A verdict with every step and certificate, as displayed by `sluicectl verify FILE`.
public struct Explanation: Sendable {
    /// The kind of the signed object.
    public enum Kind: String, Sendable {
        case notification, transaction, renewalInfo, appTransaction, unknown
    }

    public enum Outcome: String, Sendable {
        case passed, failed
        /// An earlier step failed.
        case notReached
        /// The step does not apply, such as the body check for a bare JWS, or revocation without network access.
        case skipped
    }

    public struct Step: Sendable {
        public let step: VerificationStep
        public let outcome: Outcome
        /// For a failed step, the reason code and its meaning; otherwise a remark or an empty string.
        public let detail: String
    }

    /// An entry of `x5c` as sent, trusted or not.
    public struct Certificate: Sendable {
        /// The distinguished name, on one line.
        public let subject: String
        public let issuer: String
        /// The serial number in lowercase hexadecimal.
        public let serial: String
        /// The start of the validity period in seconds since 1970, or nil if unreadable.
        public let notBefore: Int64?
        /// The end of the validity period in seconds since 1970, or nil if unreadable.
        public let notAfter: Int64?
    }

    public let kind: Kind
    /// The steps in execution order.
    public let steps: [Step]
    public let certificates: [Certificate]
    /// The verdict that the ingress would reach if it received the text now, or nil for a valid bare transaction,
    /// renewal info or app transaction.
    public let verdict: Verdict?
    /// The reason why the object is invalid, or nil if it is valid or is a version 1 body.
    public let reason: Reason?
    /// The decoded payload, or nil if anything is invalid.
    public let payload: [UInt8]?

    /// Whether no step failed.
    public var isGood: Bool { !steps.contains { $0.outcome == .failed } }
}

extension NotificationVerifier {
    /// Explains the verdict on a body or a bare JWS (a notification, transaction, renewal info or app transaction),
    /// step by step. Surrounding white space is ignored.
    ///
    /// Intended for people who examine files. Use a verifier with the `off` policy; the revocation check then appears
    /// as a skipped step.
    /// - Parameter now: the current time, in milliseconds since 1970.
    public func explain(_ text: [UInt8], at now: Int64) -> Explanation {
        let text = Self.trimmed(text)
        guard text.first == UInt8(ascii: "{") else { return explain(jws: text, isBare: true, at: now) }
        do throws(Refusal) {
            switch try FormChecks.content(of: text, BodyLimits(legacyEntries: .max)) {
            case .signedPayload(let jws): return explain(jws: Array(jws), isBare: false, at: now)
            case .legacy(let document):
                return explanation(.unknown, of: [], verdict: .legacy(document), isBare: false)
            }
        } catch {
            return explanation(.unknown, of: [], verdict: verify(body: text, at: now), isBare: false)
        }
    }

    private func explain(jws: [UInt8], isBare: Bool, at now: Int64) -> Explanation {
        let kind = Self.kind(of: jws)
        guard isBare, kind == .transaction || kind == .renewalInfo || kind == .appTransaction else {
            return explanation(kind, of: jws, verdict: verify(signedPayload: jws, at: now), isBare: isBare)
        }
        do throws(Refusal) {
            let object = try objects.verify(jws[...], at: now)
            try SignatureChecks.checkValidity(of: object.header.path, at: now)
            try SignatureChecks.checkRevocation(of: object.header, by: revocation, in: objects.cache, at: now)
            let document = try ProfileChecks.document(object.payload, of: kind.rawValue)
            try checkIdentity(of: document, kind)
            try ProfileChecks.checkHeader(object.header, of: kind.rawValue)
            try TextChecks.checkEscapes(document, of: kind.rawValue)
            return explanation(kind, of: jws, verdict: nil, isBare: true, payload: object.payload)
        } catch {
            return explanation(kind, of: jws, verdict: verdict(error), isBare: true)
        }
    }

    /// Check 13 for a bare object. It uses the members available in this kind of object; renewal info has only the
    /// environment.
    private func checkIdentity(of document: JSONDocument, _ kind: Explanation.Kind) throws(Refusal) {
        let root = document.root
        let environment = root[kind == .appTransaction ? "receiptType" : "environment"]?.string
        let bundleId = root["bundleId"]?.string
        guard
            environment == AppStoreEnvironment.production.rawValue
                || environment == AppStoreEnvironment.sandbox.rawValue
        else {
            throw Refusal(.audience, "the environment is neither Production nor Sandbox")
        }
        guard kind == .renewalInfo || bundleId.map({ audience.isConfigured(BundleId($0)) }) == true else {
            throw Refusal(.audience, "the app is not configured")
        }
    }

    private func explanation(
        _ kind: Explanation.Kind, of jws: [UInt8], verdict: Verdict?, isBare: Bool, payload: [UInt8]? = nil
    ) -> Explanation {
        let failure = verdict.flatMap(Self.failure)
        var isReached = true
        let steps = VerificationStep.allCases.map { step -> Explanation.Step in
            if step == failure?.step {
                isReached = false
                return Explanation.Step(step: step, outcome: .failed, detail: failure?.detail ?? "")
            }
            if step == .body, isBare {
                return Explanation.Step(step: step, outcome: .skipped, detail: "a bare JWS")
            }
            guard isReached else { return Explanation.Step(step: step, outcome: .notReached, detail: "") }
            if step == .revocation, revocation.policy == .off {
                return Explanation.Step(step: step, outcome: .skipped, detail: "not requested")
            }
            return Explanation.Step(step: step, outcome: .passed, detail: "")
        }
        var payload = payload
        if case .accepted(let notification) = verdict { payload = notification.notification }
        return Explanation(
            kind: kind, steps: steps, certificates: Self.certificates(of: jws), verdict: verdict,
            reason: failure?.reason, payload: payload)
    }

    private static func failure(_ verdict: Verdict) -> (step: VerificationStep, reason: Reason?, detail: String)? {
        switch verdict {
        case .accepted, .duplicate: nil
        case .nonconforming(let notification):
            (.profile, notification.reason, "\(notification.reason): \(notification.detail)")
        case .notForUs(let refusal), .notApple(let refusal), .retryLater(let refusal):
            (refusal.step, refusal.reason, "\(refusal.reason): \(refusal.detail)")
        case .legacy: (.body, nil, "a version 1 body, which is not signed")
        }
    }

    /// Guesses the kind of an object from its unverified payload.
    private static func kind(of jws: [UInt8]) -> Explanation.Kind {
        guard let segments = try? FormChecks.segments(of: jws[...]),
            let payload = try? FormChecks.decode(segments.payload, of: jws[...]),
            let document = try? JSONDocument.object(payload)
        else { return .unknown }
        let envelope = NotificationEnvelope(document)
        if (try? AudienceCheck.checkKind(envelope)) != nil { return .notification }
        if TransactionEnvelope(document).isTransaction { return .transaction }
        if RenewalInfoEnvelope(document).isRenewalInfo { return .renewalInfo }
        return !AppTransactionEnvelope(document).receiptType.isAbsent ? .appTransaction : .unknown
    }

    private static func certificates(of jws: [UInt8]) -> [Explanation.Certificate] {
        guard let segments = try? FormChecks.segments(of: jws[...]),
            let bytes = try? FormChecks.decode(segments.header, of: jws[...]), let header = try? JWSHeader(bytes),
            let encodings = try? CertificateChecks.encodings(header)
        else { return [] }
        return encodings.compactMap { encoding in
            guard let certificate = encoding.flatMap({ try? Certificate(der: $0) }) else { return nil }
            return Explanation.Certificate(
                subject: certificate.subject, issuer: certificate.issuer, serial: certificate.serialNumber,
                notBefore: certificate.validity?.notBefore, notAfter: certificate.validity?.notAfter)
        }
    }

    private static func trimmed(_ text: [UInt8]) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return Array(text[first...last])
    }
}

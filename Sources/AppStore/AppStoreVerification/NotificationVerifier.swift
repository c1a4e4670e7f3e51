public import AppStoreModel
internal import Cryptography

/// Decides whether a body is a notification that Apple signed for one of our apps.
///
/// Verification is synchronous, can run on any number of threads, and never waits, logs or uses the network. Callers
/// pass the current time, which lets tests and history imports choose a different one.
public final class NotificationVerifier: Sendable {
    let objects: SignedObjectVerifier
    let revocation: RevocationChecker
    let audience: AudienceCheck
    let requiresVersion: Bool

    /// - Parameters:
    ///   - requester: sends the OCSP requests for ``runRevocationChecks(clock:)``. May be omitted only if the
    ///     revocation policy is `off`.
    ///   - tableEvents: called with events about the key tables, on the verifying threads and on the thread that
    ///     computes tables.
    /// - Throws: ``VerifierSetupError`` if a root is unusable, this machine's OpenSSL cannot verify a root, or the
    ///   configuration is invalid, for example because it contains no app. The process should print the error and exit.
    public convenience init(
        _ configuration: VerifierConfiguration, requester: (any OCSPRequester)? = nil,
        tableEvents: @escaping @Sendable (FixedKeyEvent) -> Void = { _ in }
    ) throws(VerifierSetupError) {
        try self.init(
            configuration, requester: requester,
            fixedKeys: configuration.tables.isOn ? FixedKeys(configuration.tables, report: tableEvents) : nil)
    }

    /// - Parameter fixedKeys: precomputed key tables, or nil to use none.
    init(
        _ configuration: VerifierConfiguration, requester: (any OCSPRequester)?, fixedKeys: FixedKeys?
    ) throws(VerifierSetupError) {
        try configuration.validate(requester: requester)
        revocation = RevocationChecker(policy: configuration.revocation, requester: requester)
        objects = SignedObjectVerifier(
            trust: try configuration.trustStore(), newCertificateChains: configuration.newCertificateChains,
            fixedKeys: fixedKeys)
        audience = AudienceCheck(apps: configuration.apps)
        requiresVersion = configuration.requiresVersion
    }

    /// Returns the verdict on a request body, `{"signedPayload":"…"}`.
    /// - Parameters:
    ///   - now: the current time, in milliseconds since 1970.
    ///   - limits: the size limits, which depend on the version of the body.
    ///   - isAcknowledged: returns whether a notification with this UUID and environment is already stored. Called
    ///     after everything except the nested objects has been verified. If it returns true, the nested objects are not
    ///     examined and the verdict is ``Verdict/duplicate(_:)``.
    public func verify(
        body: [UInt8], at now: Int64, limits: BodyLimits = BodyLimits(),
        isAcknowledged: (NotificationUUID, AppStoreEnvironment) -> Bool = { _, _ in false }
    ) -> Verdict {
        verify(bodies: CollectionOfOne(body), at: now, limits: limits, isAcknowledged: isAcknowledged)[0]
    }

    /// Returns the verdicts on several bodies, in the same order. See ``verify(body:at:limits:isAcknowledged:)``. With
    /// key tables, all signatures are evaluated together, which lowers the cost per signature.
    public func verify(
        bodies: some Collection<[UInt8]>, at now: Int64, limits: BodyLimits = BodyLimits(),
        isAcknowledged: (NotificationUUID, AppStoreEnvironment) -> Bool = { _, _ in false }
    ) -> [Verdict] {
        decide(bodies.map { open(body: $0, limits, at: now) }, at: now, .present, isAcknowledged)
    }

    /// The number of notifications to verify together for the best throughput.
    public var preferredBatch: Int { objects.fixedKeys == nil ? 1 : 8 }

    /// Returns the verdict on a compact JWS from the App Store Server API's notification history.
    /// - Parameters:
    ///   - now: the current time, in milliseconds since 1970.
    ///   - moment: the time at which the certificates must be valid. Pass ``CertificateMoment/signature`` only for a
    ///     response from the App Store Server API.
    public func verify(
        signedPayload: [UInt8], at now: Int64, certificates moment: CertificateMoment = .present
    ) -> Verdict {
        decide([open(signedPayload[...], at: now)], at: now, moment, { _, _ in false })[0]
    }

    private func open(body: [UInt8], _ limits: BodyLimits, at now: Int64) -> NotificationProgress {
        do throws(Refusal) {
            switch try FormChecks.content(of: body, limits) {
            case .signedPayload(let jws): return open(jws, at: now)
            case .legacy(let document): return .decided(.legacy(document))
            }
        } catch {
            return .decided(verdict(error))
        }
    }

    /// Caches the header segment of a JWS that another process has verified. The segment must come from a source that
    /// only the ingress and the reconciler write to. Returns false, and caches nothing, if the segment is malformed or
    /// its certificates are not currently trusted.
    /// - Parameter now: the current time, in milliseconds since 1970.
    public func remember(header segment: [UInt8], at now: Int64) -> Bool {
        do throws(Refusal) {
            try objects.remember(header: segment, at: now)
            return true
        } catch {
            return false
        }
    }

    /// Sends OCSP requests until the task is cancelled. Returns immediately if the revocation policy is `off`.
    /// - Parameter clock: returns the current time, in milliseconds since 1970.
    public func runRevocationChecks(clock: @escaping @Sendable () -> Int64) async {
        await revocation.run(clock: clock, pause: .milliseconds(250))
    }

    /// Returns the revocation status of the certificates in use.
    /// - Parameter now: the current time, in milliseconds since 1970.
    public func revocationStatus(at now: Int64) -> RevocationStatus {
        revocation.status(at: now)
    }

    /// The number of certificate path validations since startup. A known path is validated again every 15 minutes.
    public var chainValidations: Int { objects.validations }

    /// Counters for the key tables. All are zero if the configuration turns the tables off.
    public var tableStatus: FixedKeyStatus { objects.fixedKeys?.status ?? FixedKeyStatus() }

    func verdict(
        _ refusal: Refusal, _ envelope: NotificationEnvelope? = nil, _ certificates: CertificateSerials? = nil,
        _ digest: SHA256Digest? = nil
    ) -> Verdict {
        switch (refusal.step, refusal.status) {
        case (_, 429), (_, 503): return .retryLater(digest.map { refusal.naming($0.bytes) } ?? refusal)
        case (.profile, _):
            let bundleId = envelope?.bundleId.value.flatMap { audience.isConfigured($0) ? $0.rawValue : nil }
            let id = envelope?.notificationUUID.value.flatMap { $0.isWellFormed ? $0.rawValue : nil }
            return .nonconforming(
                NonconformingNotification(
                    reason: refusal.reason, detail: refusal.detail, bundleId: bundleId,
                    environment: envelope?.environment.value?.rawValue, notificationUUID: id,
                    certificates: certificates, signedPartDigest: digest?.bytes))
        case (.audience, _): return .notForUs(refusal)
        default: return .notApple(refusal)
        }
    }
}

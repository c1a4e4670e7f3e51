internal import AppStoreModel
package import AppStoreSigning

/// Creates signed notifications from a series. Each nested object is signed separately, as the App Store does.
package struct NotificationFactory: Sendable {
    package let series: ScenarioSeries
    private let signer: JWSSigner
    private let sharedSecret: String

    /// - Parameter sharedSecret: the `password` in the formats before version 2.
    package init(series: ScenarioSeries, pki: TestCertificateAuthority, sharedSecret: String = "") {
        self.series = series
        signer = JWSSigner(pki)
        self.sharedSecret = sharedSecret
    }

    /// Creates the notification for a post. Every call for the same post yields the same content with a different
    /// signature.
    ///
    /// - Throws: ``AppStoreSigningError`` with code `cryptography`.
    package func make(_ post: PlannedPost) throws(AppStoreSigningError) -> SignedNotification {
        guard let notification = series.notification(of: post.run, step: post.step) else {
            // Programming error: a plan is built from the series, so all of its steps exist.
            preconditionFailure("run \(post.run) has no step \(post.step)")
        }
        guard post.format != .v2 else { return try make(notification) }
        let bodies = series.legacyBodies(of: post.run, step: post.step, post.format)
        guard bodies.indices.contains(post.number) else {
            // Programming error: a scenario has the same messages in every run.
            preconditionFailure("run \(post.run) has no body \(post.number) of step \(post.step)")
        }
        return make(bodies[post.number], beside: notification)
    }

    /// - Parameter notification: the version 2 notification about the same event.
    private func make(_ legacy: UnsignedLegacyBody, beside notification: UnsignedNotification) -> SignedNotification {
        SignedNotification(
            format: legacy.format, notificationType: NotificationType(legacy.type.rawValue), subtype: nil,
            notificationUUID: notification.notificationUUID, originalTransactionId: legacy.originalTransactionId,
            transactionId: legacy.transactionId,
            key: series.app.bundleId.rawValue + "/" + legacy.originalTransactionId.rawValue,
            body: legacy.body(password: sharedSecret))
    }

    /// Signs a notification from a run.
    ///
    /// - Throws: ``AppStoreSigningError`` with code `cryptography`.
    package func make(_ notification: UnsignedNotification) throws(AppStoreSigningError) -> SignedNotification {
        let signedPayload = try notification.signed(by: signer)
        return SignedNotification(
            notificationType: notification.notificationType, subtype: notification.subtype,
            notificationUUID: notification.notificationUUID,
            originalTransactionId: notification.originalTransactionId, transactionId: notification.transactionId,
            key: series.app.bundleId.rawValue + "/" + notification.subject,
            body: Self.body(signedPayload: signedPayload))
    }

    /// Returns the HTTP body that contains a compact JWS.
    static func body(signedPayload: [UInt8]) -> [UInt8] {
        Array("{\"signedPayload\":\"".utf8) + signedPayload + Array("\"}".utf8)
    }
}

extension UnsignedNotification {
    /// Returns the compact JWS, with each nested object signed separately.
    ///
    /// - Throws: ``AppStoreSigningError`` with code `cryptography`.
    func signed(by signer: JWSSigner) throws(AppStoreSigningError) -> [UInt8] {
        func sign(_ payload: [UInt8]?) throws(AppStoreSigningError) -> [UInt8]? {
            guard let payload else { return nil }
            return try signer.sign(payload)
        }
        return try signer.sign(
            payload(
                signedTransactionInfo: try sign(transaction), signedRenewalInfo: try sign(renewalInfo),
                signedAppTransactionInfo: try sign(appTransaction)))
    }
}

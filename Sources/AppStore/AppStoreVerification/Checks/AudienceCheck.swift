internal import AppStoreModel

/// Check 13: the payload is a notification for a configured app, from an environment for which Apple signs
/// notifications.
///
/// The app is checked before the environment.
struct AudienceCheck: Sendable {
    private let apps: [BundleId: AppIdentity]

    struct Audience {
        let app: AppIdentity
        let environment: AppStoreEnvironment
        /// Whether the notification is from the sandbox but the app is configured without it.
        let isUnexpectedSandbox: Bool
    }

    init(apps: [AppIdentity]) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func isConfigured(_ bundleId: BundleId) -> Bool { apps[bundleId] != nil }

    func app(_ bundleId: BundleId) -> AppIdentity? { apps[bundleId] }

    /// Rejects signed objects that lack the members of a notification, because Apple signs other kinds of objects with
    /// the same key.
    static func checkKind(_ envelope: NotificationEnvelope) throws(Refusal) {
        guard !envelope.notificationType.isAbsent || envelope.containers.contains(where: { $0 != .other }) else {
            throw Refusal(.typeConfusion, "the signed object is not a notification")
        }
    }

    func audience(_ envelope: NotificationEnvelope) throws(Refusal) -> Audience {
        try checkContainers(envelope)
        guard let bundleId = envelope.bundleId.value, let app = apps[bundleId] else {
            throw Refusal(.audience, "the app is not configured", bundleId: envelope.bundleId.value?.rawValue)
        }
        if envelope.environment.fault == .ambiguous {
            throw Refusal(.profileContainer, "the external purchase token does not identify the environment")
        }
        // The app is ours. From here on, a notification with new or missing members is quarantined; it is rejected only
        // if a member identifies a different app or an environment that the app does not accept.
        guard let environment = envelope.environment.value else {
            throw Refusal(.profileAudience, "the environment is not a string")
        }
        if envelope.appAppleId.fault != nil {
            throw Refusal(.profileNumber, "appAppleId is not a whole number")
        }
        // Xcode, LocalTesting and unknown environments never pass. The configuration does not accept them either.
        guard environment == .production || environment == .sandbox else {
            throw Refusal(.profileAudience, "unknown environment")
        }
        if environment == .production {
            if envelope.appAppleId.isAbsent, Self.needsAppAppleId(envelope) {
                throw Refusal(.profileAudience, "appAppleId is absent")
            }
            if let appAppleId = envelope.appAppleId.value, appAppleId != app.appAppleId {
                throw Refusal(.audience, "appAppleId does not match the configured app", bundleId: bundleId.rawValue)
            }
        }
        let isExpected = app.environments.contains(environment)
        guard isExpected || environment == .sandbox else {
            throw Refusal(.audience, "the environment is not configured for the app", bundleId: bundleId.rawValue)
        }
        return Audience(app: app, environment: environment, isUnexpectedSandbox: !isExpected)
    }

    /// Returns whether Apple documents `appAppleId` for the container. In newer containers, `appAppleId` is compared
    /// only if it is present.
    private static func needsAppAppleId(_ envelope: NotificationEnvelope) -> Bool {
        switch envelope.containers.first {
        case .data, .summary, .externalPurchaseToken, .appData, nil: true
        case .unclaimInfo, .other: false
        }
    }

    /// Requires exactly one container, because the audience is unclear otherwise. Any other notification is
    /// quarantined, or rejected if it has several containers and none names a configured app.
    private func checkContainers(_ envelope: NotificationEnvelope) throws(Refusal) {
        if envelope.containers.count > 1, !envelope.hasMalformedContainer {
            guard envelope.containerBundleIds.contains(where: { $0.map(isConfigured) ?? false }) else {
                throw Refusal(.audience, "no container names a configured app")
            }
        }
        guard envelope.containers.count == 1, !envelope.hasMalformedContainer else {
            throw Refusal(.profileContainer, "expected exactly one container that names the app")
        }
    }
}

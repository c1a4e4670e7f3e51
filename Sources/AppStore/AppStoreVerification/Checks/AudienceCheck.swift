internal import AppStoreModel
internal import JSON

/// Check 13: the payload is a notification, for a configured app, from an environment that Apple signs for.
///
/// The app is looked at before the environment.
struct AudienceCheck: Sendable {
    private let apps: [BundleId: AppIdentity]

    struct Audience {
        let app: AppIdentity
        let environment: AppStoreEnvironment
        /// From the sandbox, for an app configured without it.
        let isUnexpectedSandbox: Bool
    }

    init(apps: [AppIdentity]) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func isConfigured(_ bundleId: BundleId) -> Bool { apps[bundleId] != nil }

    /// A signed object without a notification's marks is one of the others that Apple's same key signs.
    static func checkKind(_ envelope: NotificationEnvelope) throws(Rejection) {
        guard !envelope.notificationType.isAbsent || !envelope.containers.isEmpty else {
            throw refused(.typeConfusion, "the signed object is no notification")
        }
    }

    func audience(_ envelope: NotificationEnvelope, in document: JSONDocument) throws(Rejection) -> Audience {
        try checkContainers(envelope, in: document)
        guard let bundleId = envelope.bundleId.value, let app = apps[bundleId] else {
            throw Self.refused(.audience, "the app is not configured", envelope.bundleId.value)
        }
        if envelope.environment.fault == .ambiguous {
            throw .nonconforming(
                .profileContainer, detail: "the environment of the external purchase token is not clear")
        }
        guard let environment = envelope.environment.value else {
            throw Self.refused(.audience, "the environment is not a text", bundleId)
        }
        if envelope.appAppleId.fault != nil {
            throw .nonconforming(.profileNumber, detail: "appAppleId is not a whole number")
        }
        if environment == .production {
            guard envelope.appAppleId.value == app.appAppleId else {
                throw Self.refused(.audience, "appAppleId is not the configured one", bundleId)
            }
        }
        // Never Xcode, LocalTesting or anything unknown: no configuration with them starts.
        let isExpected = app.environments.contains(environment)
        guard isExpected || environment == .sandbox else {
            throw Self.refused(.audience, "the environment is not configured for the app", bundleId)
        }
        return Audience(app: app, environment: environment, isUnexpectedSandbox: !isExpected)
    }

    /// Without exactly one container it cannot be said for whom the notification is. It is kept, unless all of several
    /// containers name others.
    private func checkContainers(
        _ envelope: NotificationEnvelope, in document: JSONDocument
    ) throws(Rejection) {
        if envelope.containers.count > 1, !envelope.hasMalformedContainer {
            let members = envelope.containers.map { document.root[Self.member($0)]?["bundleId"]?.string }
            guard members.contains(where: { $0.map { isConfigured(BundleId($0)) } ?? false }) else {
                throw Self.refused(.audience, "no container names a configured app")
            }
        }
        guard envelope.containers.count == 1, !envelope.hasMalformedContainer else {
            throw .nonconforming(.profileContainer, detail: "not exactly one of the four containers")
        }
    }

    private static func member(_ container: NotificationEnvelope.Container) -> StaticString {
        switch container {
        case .data: "data"
        case .summary: "summary"
        case .externalPurchaseToken: "externalPurchaseToken"
        case .appData: "appData"
        }
    }

    private static func refused(_ reason: Reason, _ detail: String, _ bundleId: BundleId? = nil) -> Rejection {
        .refused(Refusal(reason, at: .audience, .forbidden, detail: detail, bundleId: bundleId?.rawValue))
    }
}

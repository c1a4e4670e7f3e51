import AppStoreModel
import AppStoreSigning
import JSON
import Primitives
import Records
import Simulator
import TestSupport

@testable import Entitlements

/// The App Store Server API of `com.example`, and a service's settings to query and trust it.
final class SimulatedAppStore: Sendable {
    let api: SimulatedServerAPI
    private let signer: SigningAppStore
    private let directory: TemporaryDirectory

    /// - Parameter signer: signs the responses; nil creates a new one.
    init(_ signer: SigningAppStore? = nil) throws {
        directory = try TemporaryDirectory()
        let signer = try signer ?? SigningAppStore()
        self.signer = signer
        var settings = SimulatedServerAPI.Settings(
            app: SimulatedApp(
                bundleId: BundleId("com.example"), appAppleId: AppAppleId(1), environment: .production),
            credentials: try SimulatedAPIKey.credentials(in: directory.path))
        settings.limits = .unlimited
        api = SimulatedServerAPI(settings: settings, pki: signer.pki, clock: .system)
        try api.start()
    }

    func stop() async { await api.stop() }

    static let app = ["--apps", "com.example:1"]

    var settings: [String] {
        Self.app + [
            "--root.certificates", signer.roots, "--revocation", "off", "--appstore.api.issuer.id",
            SimulatedAPIKey.issuerId, "--appstore.api.key.id", SimulatedAPIKey.keyId, "--appstore.api.key.file",
            directory.file(SimulatedAPIKey.fileName), "--appstore.api.url", api.url(of: .production),
            "--appstore.api.sandbox.url", api.url(of: .sandbox),
        ]
    }

    /// Registers a transaction with Apple's API.
    func register(_ draft: Draft, status: Int64? = 1) {
        guard var transaction = draft.transaction else { return }
        transaction["appTransactionId"] = "70"
        api.register(transaction: transaction, renewalInfo: draft.renewalInfo, status: status)
    }
}

/// The notifications of one monthly subscription around the current time.
struct PresentLife {
    let purchase: String
    let now: Int64

    init(_ purchase: String, now: Int64 = Clocks.system.wallMilliseconds()) {
        self.purchase = purchase
        self.now = now
    }

    /// A subscription that was bought 31 days ago and expired yesterday.
    var bought: Draft {
        Draft(
            "SUBSCRIBED", "INITIAL_BUY", signed: now - 31 * day, purchase: purchase,
            transaction: period("\(purchase)1", from: now - 31 * day, to: now - day, token: account),
            renewalInfo: renewal())
    }

    /// Returns Apple's notification that the subscription was not renewed.
    var expired: Draft {
        Draft(
            "EXPIRED", "VOLUNTARY", signed: now - day, purchase: purchase, status: 2,
            transaction: period("\(purchase)1", from: now - 31 * day, to: now - day, token: account),
            renewalInfo: renewal(0).with("expirationIntent", 1))
    }

    /// A subscription that was renewed yesterday for a month.
    var renewed: Draft {
        Draft(
            "DID_RENEW", signed: now - day + 1000, purchase: purchase,
            transaction: period("\(purchase)2", from: now - day, to: now + 29 * day, token: account),
            renewalInfo: renewal())
    }
}

extension Draft {
    /// Returns this notification in version 1.
    var unsigned: Draft {
        var draft = self
        draft.trust = .sharedSecret
        draft.uuid = "v1-\(uuid)"
        draft.notification["notificationUUID"] = .string(draft.uuid)
        draft.notification["version"] = "1.0"
        return draft
    }

    func dated(_ moment: Int64) -> Draft {
        var draft = self
        draft.signedDate = moment
        draft.uuid = "\(uuid)-\(moment)"
        draft.notification["notificationUUID"] = .string(draft.uuid)
        draft.notification["signedDate"] = .integer(moment)
        draft.transaction?["signedDate"] = .integer(moment)
        draft.renewalInfo?["signedDate"] = .integer(moment)
        return draft
    }
}

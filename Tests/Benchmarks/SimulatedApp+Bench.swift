internal import AppStoreModel
internal import AppStoreVerification
internal import Simulator

extension SimulatedApp {
    /// The app used by the corpus.
    static let bench = SimulatedApp(
        bundleId: BundleId("com.example.bench"), appAppleId: AppAppleId(1_234_567_890), environment: .production)

    var identity: AppIdentity { AppIdentity(bundleId: bundleId, appAppleId: appAppleId) }

    /// The app, formatted for the setting `apps`.
    var setting: String { "\(bundleId.rawValue):\(appAppleId.rawValue)" }
}

extension Scenario {
    /// The most common notifications: renewals of a subscription, each with a transaction and renewal info.
    static let renewals = all.filter { $0.name == "subscription-renewing" }
}

internal import AppStoreModel
internal import AppStoreVerification
internal import Simulator

extension SimulatedApp {
    /// The app that the corpus is about.
    static let bench = SimulatedApp(
        bundleId: BundleId("com.example.bench"), appAppleId: AppAppleId(1_234_567_890), environment: .production)

    var identity: AppIdentity { AppIdentity(bundleId: bundleId, appAppleId: appAppleId) }

    /// As `apps` takes it.
    var setting: String { "\(bundleId.rawValue):\(appAppleId.rawValue)" }
}

extension Scenario {
    /// What most notifications are: a subscription that renews, with a transaction and renewal info in each.
    static let renewals = all.filter { $0.name == "subscription-renewing" }
}

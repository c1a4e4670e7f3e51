package import AppStoreModel

/// The app whose notifications are simulated.
package struct SimulatedApp: Sendable, Equatable {
    /// Where the App Store says a notification comes from.
    package enum Environment: String, Sendable, CaseIterable {
        case production = "Production"
        case sandbox = "Sandbox"
    }

    package let bundleId: BundleId
    package let appAppleId: AppAppleId
    package let environment: Environment

    package init(bundleId: BundleId, appAppleId: AppAppleId, environment: Environment) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
    }

    /// The app id where Apple sends one: in production only.
    var sentAppAppleId: Int64? {
        environment == .production ? appAppleId.rawValue : nil
    }
}

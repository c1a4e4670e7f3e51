package import AppStoreModel
internal import JSON

/// The app whose notifications are simulated.
package struct SimulatedApp: Sendable, Equatable {
    package let bundleId: BundleId
    package let appAppleId: AppAppleId
    /// Where the App Store says a notification comes from: Production or Sandbox.
    package let environment: AppStoreEnvironment

    package init(bundleId: BundleId, appAppleId: AppAppleId, environment: AppStoreEnvironment) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
    }

    /// The app id where Apple sends one: in production only.
    var sentAppAppleId: Int64? {
        environment == .production ? appAppleId.rawValue : nil
    }

    /// `appAppleId`, `bundleId` and `environment`, which begin every object of a notification.
    var identity: JSONObject {
        var identity = JSONObject()
        identity.put("appAppleId", sentAppAppleId)
        identity.put("bundleId", bundleId.rawValue)
        identity.put("environment", environment.rawValue)
        return identity
    }
}

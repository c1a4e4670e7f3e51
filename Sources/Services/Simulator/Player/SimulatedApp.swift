package import AppStoreModel
internal import JSON

/// The app whose notifications are simulated.
package struct SimulatedApp: Sendable, Equatable {
    package let bundleId: BundleId
    package let appAppleId: AppAppleId
    /// The environment reported in a notification: Production or Sandbox.
    package let environment: AppStoreEnvironment

    package init(bundleId: BundleId, appAppleId: AppAppleId, environment: AppStoreEnvironment) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
    }

    /// The app id. Apple sends it only in production.
    var sentAppAppleId: Int64? {
        environment == .production ? appAppleId.rawValue : nil
    }

    /// `appAppleId`, `bundleId` and `environment`, the first members of every object in a notification.
    var identity: JSONObject {
        var identity = JSONObject()
        identity.put("appAppleId", sentAppAppleId)
        identity.put("bundleId", bundleId.rawValue)
        identity.put("environment", environment.rawValue)
        return identity
    }
}

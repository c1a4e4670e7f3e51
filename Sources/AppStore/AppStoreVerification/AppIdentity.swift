public import AppStoreModel

/// An app whose notifications are for us.
public struct AppIdentity: Sendable, Hashable {
    public let bundleId: BundleId
    /// Apple's number of the app; compared in Production only, because the sandbox need not send it.
    public let appAppleId: AppAppleId
    /// `Production`, `Sandbox` or both. Others are refused by the verifier's initialiser: their data is not signed by
    /// Apple. Sandbox notifications of an app without `Sandbox` are accepted and marked.
    public let environments: Set<AppStoreEnvironment>

    public init(
        bundleId: BundleId, appAppleId: AppAppleId, environments: Set<AppStoreEnvironment> = [.production, .sandbox]
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
    }
}

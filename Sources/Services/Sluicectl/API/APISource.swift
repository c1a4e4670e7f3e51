internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import CommandLine
internal import Configuration
internal import HTTPClient
internal import Lifecycle
internal import Primitives

/// The API settings and the app selected by the configuration.
struct APISource {
    private let apps: [AppIdentity]
    private let roots: [[UInt8]]
    private let api: AppStoreSettings.API
    let scope: APIScope

    var warnings: [AppStoreSettings.Warning] { api.warnings }

    /// - Throws: `StartupError` if no app is configured, if the selected app is not configured or has no key, or if
    ///   there are several apps and none is selected.
    init(_ configuration: Configuration) throws {
        apps = try AppStoreSettings.apps(configuration)
        roots = try AppStoreSettings.roots(configuration)
        api = try AppStoreSettings.api(configuration)
        let bundleId = try Self.bundleId(configuration[OperationsSettings.apiApp], of: apps)
        guard api.configuration.credentials[bundleId] != nil else {
            throw StartupError(
                "no key for \(bundleId) is configured", setting: AppStoreSettings.apiKeyFile.key,
                fix: "Set \(AppStoreSettings.apiIssuerId.key), \(AppStoreSettings.apiKeyId.key) and "
                    + AppStoreSettings.apiKeyFile.key, exitCode: .configuration)
        }
        scope = APIScope(bundleId, in: configuration[OperationsSettings.environment])
    }

    private static func bundleId(_ named: String?, of apps: [AppIdentity]) throws(StartupError) -> BundleId {
        func problem(_ text: String, fix: String) -> StartupError {
            StartupError(text, setting: AppStoreSettings.apps.key, fix: fix, exitCode: .configuration)
        }
        guard let first = apps.first else { throw problem("no app is configured", fix: "Set apps") }
        if let named {
            guard let app = apps.first(where: { $0.bundleId.rawValue == named }) else {
                throw problem("\(PlainText.printable(named)) is not configured", fix: "Add it to apps")
            }
            return app.bundleId
        }
        guard apps.count == 1 else { throw problem("several apps are configured", fix: "Name one with --app") }
        return first.bundleId
    }

    /// Returns a client that, like `sluicectl verify`, verifies without revocation checks.
    func client(http: HTTPClient, clocks: Clocks) throws(APIError) -> AppStoreServerClient {
        do throws(VerifierSetupError) {
            let verifier = try NotificationVerifier(
                VerifierConfiguration(roots: roots, apps: apps, revocation: .off))
            return AppStoreServerClient(api.configuration, http: http, verifier: verifier, clocks: clocks)
        } catch {
            throw APIError(kind: .invalidRequest, message: error.message, isRetriable: false)
        }
    }
}

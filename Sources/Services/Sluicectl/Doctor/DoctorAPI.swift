internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import HTTPClient
internal import Primitives

/// Checks whether the App Store Server API accepts each app's key.
struct DoctorAPI {
    /// A short timeout, for interactive use; the services wait longer.
    private static let timeout = Duration.seconds(5)

    let clocks: Clocks

    /// - Parameters:
    ///   - configuration: the API settings and `apps`.
    ///   - roots: the root certificates that the ingress trusts.
    func facts(_ configuration: Configuration, roots: [[UInt8]]) async -> DoctorFacts.API {
        let apps: [AppIdentity]
        let api: AppStoreSettings.API
        let verifier: NotificationVerifier
        do throws(ConfigurationError) {
            apps = try AppStoreSettings.apps(configuration)
            api = try AppStoreSettings.api(configuration)
        } catch {
            return .wrong(error.description)
        }
        let asked = apps.filter { api.configuration.credentials[$0.bundleId] != nil }
        guard !asked.isEmpty else { return .notConfigured }
        do throws(VerifierSetupError) {
            verifier = try NotificationVerifier(VerifierConfiguration(roots: roots, apps: apps, revocation: .off))
        } catch {
            return .wrong(error.message)
        }
        var settings = api.configuration
        settings.timeout = Self.timeout
        let http = HTTPClient(api.http)
        defer { http.close() }
        let client = AppStoreServerClient(settings, http: http, verifier: verifier, clocks: clocks)
        var answers: [DoctorFacts.APIAnswer] = []
        for app in asked {
            for environment in app.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
                answers.append(await answer(client, APIScope(app.bundleId, in: environment)))
            }
        }
        return .asked(answers, warnings: api.warnings)
    }

    /// Returns the apps that have a shared secret but no API key.
    static func unconfirmableApps(_ configuration: Configuration) -> [String] {
        guard let legacy = try? AppStoreSettings.legacyApps(configuration),
            let api = try? AppStoreSettings.api(configuration)
        else { return [] }  // the settings check reports the error
        return legacy.map(\.bundleId).filter { api.configuration.credentials[$0] == nil }.map(\.rawValue)
    }

    private func answer(_ client: AppStoreServerClient, _ scope: APIScope) async -> DoctorFacts.APIAnswer {
        let failure = await client.probe(scope)
        return DoctorFacts.APIAnswer(
            bundleId: scope.bundleId.rawValue, environment: scope.environment.rawValue, failure: failure,
            clockDifference: failure?.serverDate.map { clocks.wallMilliseconds() - $0 })
    }
}

internal import AppStoreModel
package import AppStoreServerAPI
internal import AppStoreVerification
package import Configuration
internal import Cryptography
internal import Glibc
package import HTTPClient

/// Settings for the App Store Server API. Names and defaults are a contract.
extension AppStoreSettings {
    package static let apiIssuerId = Setting.string(
        "appstore.api.issuer.id",
        help: "Issuer id of the account (App Store Connect: Integrations, In-App Purchase).",
        example: "57246542-96fe-1a63-e053-0824d011072a"
    ).optional
    package static let apiKeyId = Setting.string(
        "appstore.api.key.id", help: "In-App Purchase key id.", example: "2X9R4HXF34"
    ).optional
    package static let apiKeyFile = Setting.readableFile(
        "appstore.api.key.file",
        help: """
            The .p8 file with the In-App Purchase key, readable by this service only. It is reloaded when it changes.
            """, example: "/run/secrets/SubscriptionKey_2X9R4HXF34.p8"
    ).optional
    package static let apiURL = Setting(
        "appstore.api.url", .apiURL, default: AppStoreServerClient.Configuration.appleProductionURL,
        help: "Base URL of the App Store Server API for Production; change it for the simulator.")
    package static let apiSandboxURL = Setting(
        "appstore.api.sandbox.url", .apiURL, default: AppStoreServerClient.Configuration.appleSandboxURL,
        help: "Base URL of the App Store Server API for the sandbox; change it for the simulator.")

    package static let appIssuerId = Setting.string(
        "apps.<bundleId>.api.issuer.id", help: "appstore.api.issuer.id for one app.",
        example: "57246542-96fe-1a63-e053-0824d011072a"
    ).optional
    package static let appKeyId = Setting.string(
        "apps.<bundleId>.api.key.id", help: "appstore.api.key.id for one app.", example: "2X9R4HXF34"
    ).optional
    package static let appKeyFile = Setting.readableFile(
        "apps.<bundleId>.api.key.file", help: "appstore.api.key.file for one app.",
        example: "/run/secrets/SubscriptionKey_2X9R4HXF34.p8"
    ).optional

    /// All API settings. A schema with these settings must also contain ``apps`` or ``appsIfAny``.
    package static let apiSettings: [any AnySetting] =
        [
            apiIssuerId, apiKeyId, apiKeyFile, apiURL, apiSandboxURL, appIssuerId, appKeyId, appKeyFile,
        ] + HTTPClientSettings.all

    /// The API configuration, with warnings about settings that work but should be changed.
    package struct API: Sendable {
        /// The configuration of the API client. Apps without credentials are omitted.
        package let configuration: AppStoreServerClient.Configuration
        package let warnings: [Warning]
        /// The configuration of the HTTP client for requests to Apple.
        package let http: HTTPClient.Configuration
    }

    /// A setting that works but should be changed.
    package struct Warning: Sendable, Hashable, CustomStringConvertible {
        package let setting: String
        package let problem: String
        package let fix: String

        package init(setting: String, problem: String, fix: String) {
            self.setting = setting
            self.problem = problem
            self.fix = fix
        }

        /// The warning as one line.
        package var description: String { "\(setting): \(problem). \(fix)." }
    }

    /// Returns the API configuration for the configured apps.
    ///
    /// - Throws: a `ConfigurationError` if only some of issuer ID, key ID and key file are set for an app, or if a file
    ///   contains no key in Apple's format.
    package static func api(_ configuration: Configuration) throws(ConfigurationError) -> API {
        var credentials: [BundleId: APICredentials] = [:]
        var warnings: [Warning] = []
        var checked: Set<String> = []
        for app in try apps(configuration) {
            guard let found = try self.credentials(of: app.bundleId.rawValue, configuration) else { continue }
            credentials[app.bundleId] = found.credentials
            guard checked.insert(found.credentials.keyFile).inserted else { continue }
            try checkKey(found, configuration)
            if let warning = warningOfMode(found) { warnings.append(warning) }
        }
        return API(
            configuration: AppStoreServerClient.Configuration(
                credentials: credentials, productionURL: configuration[apiURL],
                sandboxURL: configuration[apiSandboxURL]), warnings: warnings,
            http: try HTTPClient.Configuration(configuration))
    }

    // MARK: Credentials

    private struct Found {
        let credentials: APICredentials
        /// The name of the setting that contains the key file's path.
        let fileKey: String
    }

    private static func credentials(
        of app: String, _ configuration: Configuration
    ) throws(ConfigurationError) -> Found? {
        let issuer = configuration.value(appIssuerId, for: app) ?? configuration[apiIssuerId]
        let keyId = configuration.value(appKeyId, for: app) ?? configuration[apiKeyId]
        let ownFile = configuration.value(appKeyFile, for: app)
        let file = ownFile ?? configuration[apiKeyFile]
        if issuer == nil, keyId == nil, file == nil { return nil }
        guard let issuer else { throw missing(apiIssuerId.key, app, configuration) }
        guard let keyId else { throw missing(apiKeyId.key, app, configuration) }
        guard let file else { throw missing(apiKeyFile.key, app, configuration) }
        return Found(
            credentials: APICredentials(issuerId: issuer, keyId: keyId, keyFile: file),
            fileKey: ownFile == nil ? apiKeyFile.key : "apps.\(app).api.key.file")
    }

    private static func missing(_ key: String, _ app: String, _ configuration: Configuration) -> ConfigurationError {
        configuration.error(
            key,
            "is not set, but other App Store Server API settings are. Set it, or apps.\(app).\(key.dropFirst(9))."
        )
    }

    private static func checkKey(_ found: Found, _ configuration: Configuration) throws(ConfigurationError) {
        let file = found.credentials.keyFile
        do throws(CryptographyError) {
            _ = try PrivateKey(contentsOf: file)
        } catch {
            throw configuration.error(
                found.fileKey,
                "\(file) cannot be used: \(error.message). Use the unmodified .p8 file from App Store Connect.")
        }
    }

    private static func warningOfMode(_ found: Found) -> Warning? {
        let file = found.credentials.keyFile
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & 0o007 != 0 else { return nil }
        return Warning(
            setting: found.fileKey, problem: "every user on this machine can access \(file)",
            fix: "Set its mode to 0400, or to 0440 to allow group read access")
    }
}

package import Configuration
internal import Cryptography
internal import FoundationEssentials
internal import HTTPClient
package import Primitives
internal import SignedRequests
package import Telemetry

extension ConsumptionProvider {
    /// Creates the client from the configuration, or returns nil if `refunds.provider.url` is not set.
    ///
    /// - Throws: a `ConfigurationError` that contains the key, its source and the problem.
    package init?(
        _ configuration: Configuration, clocks: Clocks = .system, log: RateLimitedLogger? = nil
    ) throws(ConfigurationError) {
        guard let url = configuration[RefundsSettings.providerURL] else { return nil }
        try Self.check(url, configuration)
        self.url = url
        timeout = configuration[RefundsSettings.providerTimeout]
        keys = try Self.keys(configuration, now: clocks.monotonicNanoseconds())
        client = HTTPClient(
            try HTTPClient.Configuration(configuration, trustRootsFile: try Self.rootsFile(configuration)))
        self.clocks = clocks
        self.log = log
    }

    private static func check(_ url: String, _ configuration: Configuration) throws(ConfigurationError) {
        let parts = EndpointURL(url)
        guard !parts.hasUser else {
            throw configuration.error(
                RefundsSettings.providerURL.key,
                "the URL contains a user name or password; remove them, because webhook-signature authenticates requests"
            )
        }
        guard parts.isEncrypted || parts.isLoopback || configuration[RefundsSettings.providerInsecure] else {
            throw configuration.error(
                RefundsSettings.providerURL.key,
                """
                an http:// URL sends purchases unencrypted; use https://, or allow http:// with \
                \(RefundsSettings.providerInsecure.key)=true
                """)
        }
    }

    private static func keys(
        _ configuration: Configuration, now: UInt64
    ) throws(ConfigurationError) -> ReloadedFile<SigningKeys> {
        let key = RefundsSettings.providerSecret.key
        guard let file = configuration[RefundsSettings.providerSecret] else {
            throw configuration.error(
                key, "not set, but requests to \(RefundsSettings.providerURL.key) must be signed. \(Self.makeKey)")
        }
        do throws(FileError) {
            return try ReloadedFile(
                path: file.path, limit: SecretFile.maximumBytes, now: now, make: SigningKeys.init(lines:))
        } catch {
            throw configuration.error(key, "\(error.message). \(Self.makeKey)")
        }
    }

    private static let makeKey = "Create a key with: echo whsec_$(openssl rand -base64 32)"

    private static func rootsFile(_ configuration: Configuration) throws(ConfigurationError) -> String? {
        guard let file = configuration[RefundsSettings.providerRoots] else { return nil }
        let bytes = FileManager.default.contents(atPath: file).map { Array($0) } ?? []
        guard (try? Certificate.certificates(encoded: bytes))?.isEmpty == false else {
            throw configuration.error(RefundsSettings.providerRoots.key, "\(file) contains no certificate")
        }
        return file
    }
}

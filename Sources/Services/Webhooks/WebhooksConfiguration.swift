internal import AppStoreModel
package import Configuration
internal import Cryptography
internal import FoundationEssentials
internal import HTTPClient
internal import Primitives
internal import Records
internal import SignedRequests

/// The configuration of the service, which has passed all checks that do not need a running component.
package struct WebhooksConfiguration: Sendable {
    let url: String
    let keys: ReloadedFile<SigningKeys>
    let environments: [AppStoreEnvironment]
    let topics: TopicNames
    let timeout: Duration
    let concurrency: Int
    let rootsFile: String?
    /// The HTTP client configuration for requests to the receiver.
    let http: HTTPClient.Configuration
    let content: WebhookContent
    let filter: WebhookFilter
    let failures: RecordFailures.Limits
    /// Whether a 410 stops delivery.
    let stopsWhenGone: Bool

    /// - Throws: a ``ConfigurationError`` that contains the key, its source and the problem.
    package init(_ configuration: Configuration) throws(ConfigurationError) {
        guard let url = configuration[WebhooksSettings.url] else { throw configuration.missing(WebhooksSettings.url) }
        guard let secrets = configuration[WebhooksSettings.secrets] else {
            throw configuration.missing(WebhooksSettings.secrets)
        }
        self.url = url
        let parts = EndpointURL(url)
        guard !parts.hasUser else {
            throw configuration.error(
                WebhooksSettings.url.key,
                "the URL contains a user name or password; remove them, because webhook-signature authenticates requests"
            )
        }
        guard parts.isEncrypted || parts.isLoopback || configuration[WebhooksSettings.insecure] else {
            throw configuration.error(
                WebhooksSettings.url.key,
                "an http:// URL sends purchases unencrypted; use https://, or set webhooks.insecure=true")
        }
        do throws(FileError) {
            keys = try ReloadedFile(
                path: secrets.path, limit: SecretFile.maximumBytes,
                now: Clocks.system.monotonicNanoseconds(), make: SigningKeys.init(lines:))
        } catch {
            throw configuration.error(
                WebhooksSettings.secrets.key,
                "\(error.message); create a key with: echo whsec_$(openssl rand -base64 32)")
        }
        // A name listed twice counts only once.
        let named = configuration[WebhooksSettings.environments]
        environments = AppStoreEnvironment.published.filter(named.contains)
        topics = TopicNames(prefix: configuration[WebhooksSettings.topicsPrefix])
        timeout = configuration[WebhooksSettings.timeout]
        concurrency = configuration[WebhooksSettings.concurrency]
        content = configuration[WebhooksSettings.content]
        filter = WebhookFilter(
            apps: Set(configuration[WebhooksSettings.apps]), types: configuration[WebhooksSettings.types])
        failures = RecordFailures.Limits(
            count: configuration[WebhooksSettings.failures], time: configuration[WebhooksSettings.failureTime])
        stopsWhenGone = configuration[WebhooksSettings.gone] == .stop
        rootsFile = configuration[WebhooksSettings.roots]
        http = try HTTPClient.Configuration(configuration, trustRootsFile: rootsFile)
        if let rootsFile {
            let bytes = FileManager.default.contents(atPath: rootsFile).map { Array($0) } ?? []
            do throws(CryptographyError) {
                try Certificate.checkRoots(pem: bytes)
            } catch {
                throw configuration.error(
                    WebhooksSettings.roots.key, "\(rootsFile) contains no PEM certificate: \(error.message)")
            }
        }
    }
}

public import Configuration
internal import Glibc
internal import HTTPClient
package import Kafka
internal import ObjectStorage
internal import Primitives

/// Settings for the tokens that SASL OAUTHBEARER requires. The names and defaults are a public contract.
public enum KafkaTokenSettings {
    /// The token source.
    public enum Provider: String, CaseIterable, Sendable {
        /// librdkafka requests tokens itself or needs none.
        case off
        /// An identity provider that supports OAuth 2.0 client credentials.
        case clientCredentials = "client-credentials"
        /// Amazon MSK with IAM.
        case awsMSKIAM = "aws-msk-iam"
    }

    static let prefix = "token."

    public static let provider = Setting<Provider>.oneOf(
        "kafka.token.provider", default: .off,
        help: """
            Source of SASL OAUTHBEARER tokens: client-credentials for an identity provider (OAuth 2.0, RFC 6749 \
            section 4.4), or aws-msk-iam for Amazon MSK with IAM. Works with any build of librdkafka.
            """)
    public static let endpoint = Setting.string(
        "kafka.token.endpoint.url", help: "Token endpoint of the identity provider, an https URL.",
        example: "https://idp.example.com/oauth2/token"
    ).optional
    public static let clientId = Setting.string(
        "kafka.token.client.id", help: "Client id registered with the identity provider.", example: "sluice"
    ).optional
    public static let clientSecret = Setting<SecretFile>.secretFile(
        "kafka.token.client.secret.file", help: "File with the client secret; reread for each token.",
        example: "/run/secrets/kafka-client"
    ).optional
    public static let scope = Setting.string(
        "kafka.token.scope", help: "Scope to request.", example: "kafka"
    ).optional
    public static let audience = Setting.string(
        "kafka.token.audience", help: "Audience to request, if the identity provider requires one.",
        example: "kafka"
    ).optional
    public static let extensions = Setting.strings(
        "kafka.token.extensions", default: [], help: "SASL extensions as name=value, as required by Confluent Cloud.",
        example: "logicalCluster=lkc-1,identityPoolId=pool-1")
    public static let trustRoots = Setting.readableFile(
        "kafka.token.trust.roots.file",
        help: "PEM file with the CA certificates used to verify the identity provider. Default: the system's.",
        example: "/etc/sluice/idp-ca.pem"
    ).optional
    public static let region = Setting.string(
        "kafka.token.aws.region", help: "Region of the MSK cluster. Default: AWS_REGION or AWS_DEFAULT_REGION.",
        example: "eu-central-1"
    ).optional
    public static let awsCredentials = Setting.readableFile(
        "kafka.token.aws.credentials.file",
        help: """
            File with aws_access_key_id = … and aws_secret_access_key = …. Default: the credential chain of AWS's \
            SDKs: the environment, a web identity (EKS), the shared credentials file, and container (ECS) or instance \
            (EC2) metadata.
            """, example: "/run/secrets/aws"
    ).optional

    /// All settings, including those of the HTTP client that requests tokens. The keys begin with `kafka.`; any other
    /// key with this prefix is a librdkafka property.
    public static let all: [any AnySetting] =
        [
            provider, endpoint, clientId, clientSecret, scope, audience, extensions, trustRoots, region,
            awsCredentials,
        ] + HTTPClientSettings.all

    /// The keys, without the `kafka.` prefix, of the settings whose files are reread for each token.
    package static let rereadFiles = ["token.client.secret.file", "token.aws.credentials.file"]

    /// Creates the token source. Validates the settings together with librdkafka's properties, and adds missing
    /// properties.
    ///
    /// - Parameter properties: librdkafka's properties, without the `kafka.` prefix.
    /// - Returns: the source, or nil if librdkafka needs no tokens from this process. The source connects when the
    ///   first token is requested.
    /// - Throws: a ``ConfigurationError`` that names the setting and the fix.
    package static func source(
        _ configuration: Configuration, completing properties: inout [String: String]
    ) throws(ConfigurationError) -> KafkaTokenSource? {
        for name in properties.keys where name.hasPrefix(prefix) { properties[name] = nil }
        guard configuration[provider] != .off else {
            try refuseWithoutProvider(configuration, properties)
            return nil
        }
        try complete(&properties, configuration)
        let (requests, now) = (try requests(configuration), SystemClock.wallMilliseconds)
        let fetch: @Sendable () async throws(KafkaTokenError) -> KafkaToken
        switch configuration[provider] {
        case .off: return nil
        case .clientCredentials:
            let grant = try grant(configuration, requests)
            fetch = { () throws(KafkaTokenError) in try await grant.token() }
        case .awsMSKIAM:
            let credentials = AWSCredentials(
                region: try region(configuration), file: configuration[awsCredentials], setting: awsCredentials.key,
                requests: requests)
            let token = MSKToken(region: credentials.region)
            fetch = { () throws(KafkaTokenError) in
                let key: AWSCredentials.Key
                do throws(CredentialError) { key = try await credentials.key() } catch {
                    throw KafkaTokenError(error)
                }
                return try token.token(of: key, now: now())
            }
        }
        let cache = TokenCache(now: now, fetch: fetch)
        return KafkaTokenSource { () throws(KafkaTokenError) in try await cache.token() }
    }

    /// Throws if librdkafka would request tokens but there is no provider.
    private static func refuseWithoutProvider(
        _ configuration: Configuration, _ properties: [String: String]
    ) throws(ConfigurationError) {
        let mechanism = ["sasl.mechanism", "sasl.mechanisms"].first { properties[$0] == "OAUTHBEARER" }
        guard let mechanism, properties["sasl.oauthbearer.method"] != "oidc",
            properties["enable.sasl.oauthbearer.unsecure.jwt"] != "true"
        else { return }
        throw configuration.error(
            "kafka.\(mechanism)",
            "OAUTHBEARER requires tokens. Set \(provider.key) to client-credentials or aws-msk-iam.")
    }

    private static func complete(
        _ properties: inout [String: String], _ configuration: Configuration
    ) throws(ConfigurationError) {
        for name in ["sasl.mechanism", "sasl.mechanisms"] {
            guard let mechanism = properties[name], mechanism != "OAUTHBEARER" else { continue }
            throw configuration.error(
                "kafka.\(name)", "\(mechanism) does not use tokens. Set it to OAUTHBEARER, or remove \(provider.key).")
        }
        if properties["sasl.mechanism"] == nil, properties["sasl.mechanisms"] == nil {
            properties["sasl.mechanism"] = "OAUTHBEARER"
        }
        guard properties["sasl.oauthbearer.method"] == nil else {
            throw configuration.error(
                "kafka.sasl.oauthbearer.method",
                "selects librdkafka's own token source. Remove either it or \(provider.key).")
        }
        let protocolName = properties["security.protocol"]
        guard protocolName?.lowercased().hasPrefix("sasl_") == true else {
            throw configuration.error(
                "kafka.security.protocol",
                "tokens require SASL. Set kafka.security.protocol to SASL_SSL, or remove \(provider.key).")
        }
    }

    private static func grant(
        _ configuration: Configuration, _ requests: CredentialRequests
    ) throws(ConfigurationError) -> ClientCredentials {
        func required<Value>(_ setting: Setting<Value?>) throws(ConfigurationError) -> Value {
            guard let value = configuration[setting] else {
                throw configuration.error(
                    setting.key,
                    "is required with \(provider.key)=client-credentials. Set it, for example: "
                        + "\(setting.key)=\(setting.descriptor.example)")
            }
            return value
        }
        let url = try required(endpoint)
        let isLocal = ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains { host in
            [":", "/"].contains { url.hasPrefix(host + $0) }
        }
        guard url.hasPrefix("https://") || isLocal else {
            throw configuration.error(endpoint.key, "must be https, because the client secret is sent to this URL.")
        }
        let file = try required(clientSecret)
        var pairs: [String: String] = [:]
        for text in configuration[extensions] {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw configuration.error(extensions.key, "\"\(text)\" must have the form name=value.")
            }
            pairs[String(text[..<sign])] = String(text[text.index(after: sign)...])
        }
        return ClientCredentials(
            endpoint: url, clientId: try required(clientId),
            secret: { () throws(KafkaTokenError) in
                guard var bytes = requests.file(file.path) else {
                    throw KafkaTokenError("\(file.path) cannot be read")
                }
                while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
                return Secret(bytes)
            }, scope: configuration[scope], audience: configuration[audience], extensions: pairs, requests: requests)
    }

    private static func region(_ configuration: Configuration) throws(ConfigurationError) -> String {
        let found = configuration[region] ?? variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION")
        guard let found else {
            throw configuration.error(
                region.key,
                "is required with \(provider.key)=aws-msk-iam, unless AWS_REGION or AWS_DEFAULT_REGION is set. "
                    + "Set it to the cluster's region.")
        }
        guard found.utf8.allSatisfy({ $0 >= 97 && $0 <= 122 || $0 >= 48 && $0 <= 57 || $0 == 45 }) else {
            throw configuration.error(region.key, "\"\(found)\" must be a region, such as eu-central-1.")
        }
        return found
    }

    private static func requests(_ configuration: Configuration) throws(ConfigurationError) -> CredentialRequests {
        let http = try HTTPClient.Configuration(configuration, trustRootsFile: configuration[trustRoots])
        let client = LazyClient(http)
        return CredentialRequests(
            send: { request throws(HTTPClientError) in try await client.value.send(request) },
            now: SystemClock.wallMilliseconds, variable: { variable($0) },
            file: { path in try? BoundedFile.read(path, limit: SecretFile.maximumBytes) })
    }

    @Sendable private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

public import Configuration
internal import Glibc
internal import HTTPClient
package import Kafka
internal import ObjectStorage
internal import Time

/// Settings for the tokens of brokers with SASL OAUTHBEARER. Names and defaults are a contract.
public enum KafkaTokenSettings {
    /// The source of tokens.
    public enum Provider: String, CaseIterable, Sendable {
        /// librdkafka obtains its own tokens, or none are used.
        case off
        /// An identity provider with OAuth 2.0 client credentials.
        case clientCredentials = "client-credentials"
        /// Amazon MSK with IAM.
        case awsMSKIAM = "aws-msk-iam"
    }

    static let prefix = "token."

    public static let provider = Setting<Provider>.oneOf(
        "kafka.token.provider", default: .off,
        help: """
            Where tokens for SASL OAUTHBEARER come from, with any librdkafka: client-credentials, an identity provider \
            (OAuth 2.0, RFC 6749 section 4.4); aws-msk-iam, Amazon MSK with IAM.
            """)
    public static let endpoint = Setting.string(
        "kafka.token.endpoint.url", help: "The token endpoint of the identity provider, https.",
        example: "https://idp.example.com/oauth2/token"
    ).optional
    public static let clientId = Setting.string(
        "kafka.token.client.id", help: "The client that the identity provider knows.", example: "sluice"
    ).optional
    public static let clientSecret = Setting<SecretFile>.secretFile(
        "kafka.token.client.secret.file", help: "A file with the client's secret; read again for each token.",
        example: "/run/secrets/kafka-client"
    ).optional
    public static let scope = Setting.string(
        "kafka.token.scope", help: "The scope that is asked for.", example: "kafka"
    ).optional
    public static let audience = Setting.string(
        "kafka.token.audience", help: "The audience that is asked for, where the identity provider wants one.",
        example: "kafka"
    ).optional
    public static let extensions = Setting.strings(
        "kafka.token.extensions", default: [], help: "SASL extensions, name=value, such as Confluent Cloud's.",
        example: "logicalCluster=lkc-1,identityPoolId=pool-1")
    public static let trustRoots = Setting.readableFile(
        "kafka.token.trust.roots.file",
        help: "A PEM file with the authority of the identity provider. Without it the system's.",
        example: "/etc/sluice/idp-ca.pem"
    ).optional
    public static let region = Setting.string(
        "kafka.token.aws.region", help: "The region of the MSK cluster. Without it AWS_REGION.",
        example: "eu-central-1"
    ).optional
    public static let awsCredentials = Setting.readableFile(
        "kafka.token.aws.credentials.file",
        help: """
            A file with aws_access_key_id = … and aws_secret_access_key = …. Without it the environment, a web identity \
            (EKS), the shared file of AWS's tools, the container's (ECS) or the instance's metadata (EC2), as AWS's own \
            libraries find them.
            """, example: "/run/secrets/aws"
    ).optional

    /// All settings, including those of the HTTP client that requests tokens. Their keys begin with `kafka.`, under
    /// which every other key is a librdkafka property.
    public static let all: [any AnySetting] =
        [
            provider, endpoint, clientId, clientSecret, scope, audience, extensions, trustRoots, region,
            awsCredentials,
        ] + HTTPClientSettings.all

    /// Keys, without `kafka.`, of files that are read again for each token.
    package static let rereadFiles = ["token.client.secret.file", "token.aws.credentials.file"]

    /// Creates the token source. Checks the settings together with librdkafka's properties, and adds missing ones.
    ///
    /// - Parameter properties: librdkafka's properties, without `kafka.`.
    /// - Returns: nil if librdkafka needs no tokens from this process. No connection is made before the first token.
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
        let fetch: @Sendable () async throws(KafkaTokenFailure) -> KafkaToken
        switch configuration[provider] {
        case .off: return nil
        case .clientCredentials:
            let grant = try grant(configuration, requests)
            fetch = { () throws(KafkaTokenFailure) in try await grant.token() }
        case .awsMSKIAM:
            let credentials = AWSCredentials(
                region: try region(configuration), file: configuration[awsCredentials], setting: awsCredentials.key,
                requests: requests)
            let token = MSKToken(region: credentials.region)
            fetch = { () throws(KafkaTokenFailure) in
                let key: AWSCredentials.Key
                do throws(CredentialFailure) { key = try await credentials.key() } catch {
                    throw KafkaTokenFailure(error)
                }
                return try token.token(of: key, now: now())
            }
        }
        let cache = TokenCache(now: now, fetch: fetch)
        return KafkaTokenSource { () throws(KafkaTokenFailure) in try await cache.token() }
    }

    /// Throws if librdkafka would request tokens without a provider.
    private static func refuseWithoutProvider(
        _ configuration: Configuration, _ properties: [String: String]
    ) throws(ConfigurationError) {
        let mechanism = ["sasl.mechanism", "sasl.mechanisms"].first { properties[$0] == "OAUTHBEARER" }
        guard let mechanism, properties["sasl.oauthbearer.method"] != "oidc",
            properties["enable.sasl.oauthbearer.unsecure.jwt"] != "true"
        else { return }
        throw configuration.error(
            "kafka.\(mechanism)", "OAUTHBEARER needs tokens. Set \(provider.key) to client-credentials or aws-msk-iam.")
    }

    private static func complete(
        _ properties: inout [String: String], _ configuration: Configuration
    ) throws(ConfigurationError) {
        for name in ["sasl.mechanism", "sasl.mechanisms"] {
            guard let mechanism = properties[name], mechanism != "OAUTHBEARER" else { continue }
            throw configuration.error(
                "kafka.\(name)", "\(mechanism) takes no tokens. Set it to OAUTHBEARER, or remove \(provider.key).")
        }
        if properties["sasl.mechanism"] == nil, properties["sasl.mechanisms"] == nil {
            properties["sasl.mechanism"] = "OAUTHBEARER"
        }
        guard properties["sasl.oauthbearer.method"] == nil else {
            throw configuration.error(
                "kafka.sasl.oauthbearer.method", "is librdkafka's own way to tokens. Remove it, or \(provider.key).")
        }
        let protocolName = properties["security.protocol"]
        guard protocolName?.lowercased().hasPrefix("sasl_") == true else {
            throw configuration.error(
                "kafka.security.protocol", "tokens go over SASL. Set it to SASL_SSL, or remove \(provider.key).")
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
            throw configuration.error(endpoint.key, "is not https: the client's secret is sent there.")
        }
        let file = try required(clientSecret)
        var pairs: [String: String] = [:]
        for text in configuration[extensions] {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw configuration.error(extensions.key, "\"\(text)\" is not name=value.")
            }
            pairs[String(text[..<sign])] = String(text[text.index(after: sign)...])
        }
        return ClientCredentials(
            endpoint: url, clientId: try required(clientId),
            secret: { () throws(KafkaTokenFailure) in
                guard var bytes = requests.file(file.path) else {
                    throw KafkaTokenFailure("\(file.path) cannot be read")
                }
                while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
                return Secret(bytes)
            }, scope: configuration[scope], audience: configuration[audience], extensions: pairs, requests: requests)
    }

    private static func region(_ configuration: Configuration) throws(ConfigurationError) -> String {
        let found = configuration[region] ?? variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION")
        guard let found else {
            throw configuration.error(region.key, "is required with \(provider.key)=aws-msk-iam: the cluster's region.")
        }
        guard found.utf8.allSatisfy({ $0 >= 97 && $0 <= 122 || $0 >= 48 && $0 <= 57 || $0 == 45 }) else {
            throw configuration.error(region.key, "\"\(found)\" is not a region such as eu-central-1.")
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

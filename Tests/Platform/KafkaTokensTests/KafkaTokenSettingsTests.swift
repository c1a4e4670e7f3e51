import CommandLine
import Configuration
import Kafka
import TestSupport
import Testing

@testable import KafkaTokens

@Suite struct KafkaTokenSettingsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Returns the completed properties, and whether Sluice provides the tokens. Throws for rejected settings.
    private func source(_ settings: [String: String]) throws -> (properties: [String: String], hasTokens: Bool) {
        let prefix = OpenPrefix("kafka.", help: "Kafka.", example: "kafka.a=b", settings: KafkaTokenSettings.all)
        let command = Command(
            "test", summary: "Tests.", schema: ConfigurationSchema(openPrefixes: [prefix]), version: "0")
        let outcome = command.parse(settings.flatMap { ["--kafka.\($0.key)", $0.value] }, environment: [:])
        guard case .run(let invocation) = outcome else { throw CancellationError() }
        var properties = invocation.configuration.prefixed("kafka.")
        let source = try KafkaTokenSettings.source(invocation.configuration, completing: &properties)
        return (properties, source != nil)
    }

    private func clientCredentials(_ changes: [String: String?] = [:]) throws -> [String: String] {
        let settings: [String: String?] = [
            "security.protocol": "SASL_SSL", "token.provider": "client-credentials",
            "token.endpoint.url": "https://idp.example/token", "token.client.id": "sluice",
            "token.client.secret.file": try directory.write("secret\n", to: "secret"),
        ]
        return settings.merging(changes) { $1 }.compactMapValues { $0 }
    }

    @Test func `librdkafka receives the mechanism but none of our settings`() throws {
        let (properties, hasTokens) = try source(try clientCredentials(["token.extensions": "a=b,c=d=e"]))
        #expect(properties == ["security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"])
        #expect(hasTokens)
    }

    @Test func `without a provider, librdkafka's properties are unchanged`() throws {
        let (properties, hasTokens) = try source(["sasl.mechanism": "PLAIN", "security.protocol": "SASL_SSL"])
        #expect(properties == ["sasl.mechanism": "PLAIN", "security.protocol": "SASL_SSL"] && !hasTokens)
    }

    @Test func `Amazon MSK needs only a region`() throws {
        let settings = ["security.protocol": "SASL_SSL", "token.provider": "aws-msk-iam"]
        #expect(try source(settings.merging(["token.aws.region": "eu-central-1"]) { $1 }).hasTokens)
        let wrong = #expect(throws: ConfigurationError.self) {
            try source(settings.merging(["token.aws.region": "eu/../x"]) { $1 })
        }
        #expect(wrong?.description.contains("kafka.token.aws.region") == true)
    }

    @Test(arguments: [
        ("token.endpoint.url", nil, "kafka.token.endpoint.url"), ("token.client.id", nil, "kafka.token.client.id"),
        ("token.client.secret.file", nil, "kafka.token.client.secret.file"),
        ("token.endpoint.url", "http://idp.example/token", "must be https"),
        ("token.endpoint.url", "http://127.0.0.1.example/token", "must be https"),
        ("token.extensions", "a", "must have the form name=value"), ("security.protocol", "SSL", "SASL_SSL"),
        ("security.protocol", nil, "SASL_SSL"), ("sasl.mechanism", "PLAIN", "OAUTHBEARER"),
        ("sasl.mechanisms", "SCRAM-SHA-512", "OAUTHBEARER"),
        ("sasl.oauthbearer.method", "oidc", "librdkafka's own token source"),
    ])
    func `conflicting settings are refused, and the error names the fix`(
        _ key: String, _ value: String?, _ words: String
    ) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try source(try clientCredentials([key: value]))
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `OAUTHBEARER without a token source is refused, unless librdkafka itself requests tokens`() throws {
        let settings = ["security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"]
        let error = #expect(throws: ConfigurationError.self) { try source(settings) }
        #expect(error?.description.contains("kafka.token.provider") == true)
        #expect(try !source(settings.merging(["sasl.oauthbearer.method": "oidc"]) { $1 }).hasTokens)
        #expect(try !source(settings.merging(["enable.sasl.oauthbearer.unsecure.jwt": "true"]) { $1 }).hasTokens)
    }
}

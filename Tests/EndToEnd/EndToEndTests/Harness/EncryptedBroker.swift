import Foundation
import TestSupport
import Testing

/// One broker of Apache Kafka with typical security: SASL_SSL with PLAIN, SCRAM and OAUTHBEARER, and TLS with client
/// certificates. The test itself uses a listener without authentication, with all rights.
struct EncryptedBroker: Sendable {
    /// A user with all rights.
    static let user = "alice"
    /// A user without any rights.
    static let outsider = "mallory"

    /// The authentication mechanism of a client.
    enum Mechanism: String, CaseIterable, Sendable {
        case plain = "PLAIN"
        case scram = "SCRAM-SHA-512"
        case mutualTLS = "mTLS"
        case token = "OAUTHBEARER"
    }

    /// The broker as seen by its administrator.
    let administrator: Broker
    let files: TLSFiles
    let tokens: TokenEndpoint
    private let sasl: UInt16
    private let tls: UInt16
    private let certificate: TLSFiles.Certificate
    private let harness: Harness

    var cluster: ApacheKafka {
        get throws { try #require(administrator.apache) }
    }

    init(_ harness: Harness) async throws {
        let (open, sasl, tls, controller) = (try freePort(), try freePort(), try freePort(), try freePort())
        files = try await TLSFiles(in: harness.directory)
        let server = try await files.certificate("broker", for: "IP:127.0.0.1,DNS:localhost")
        certificate = try await files.certificate(Self.user, for: "DNS:client")
        tokens = try TokenEndpoint(subject: Self.user)
        let keys = "file://" + (try harness.write(try tokens.keySet(), to: "jwks.json"))
        var settings = Self.settings(keys, server, files)
        let listeners =
            "PLAINTEXT://127.0.0.1:\(open),SASL_SSL://127.0.0.1:\(sasl),SSL://127.0.0.1:\(tls)"
        settings["listeners"] = "\(listeners),CONTROLLER://127.0.0.1:\(controller)"
        settings["advertised.listeners"] = listeners
        settings["controller.quorum.voters"] = "1@127.0.0.1:\(controller)"
        let started = try await ApacheKafka.start(
            settings: settings, options: "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=\(keys)")
        let cluster = started.reached(at: "127.0.0.1:\(open)")
        administrator = try await harness.apacheKafka(cluster, partitions: 1)
        _ = try await cluster.tool(
            "kafka-configs.sh",
            [
                "--alter", "--entity-type", "users", "--entity-name", Self.user, "--add-config",
                "SCRAM-SHA-512=[password=\(Self.password)]",
            ])
        (self.sasl, self.tls, self.harness) = (sasl, tls, harness)
    }

    private static let password = "correct-horse"

    private static func settings(
        _ keys: String, _ server: TLSFiles.Certificate, _ files: TLSFiles
    ) -> [String: String] {
        let module = "org.apache.kafka.common.security"
        let bearer = "listener.name.sasl_ssl.oauthbearer.sasl."
        return [
            "listener.security.protocol.map":
                "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL",
            "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512,OAUTHBEARER",
            "listener.name.sasl_ssl.plain.sasl.jaas.config":
                "\(module).plain.PlainLoginModule required user_\(user)=\"\(password)\" "
                + "user_\(outsider)=\"\(password)\";",
            "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": "\(module).scram.ScramLoginModule required;",
            bearer + "jaas.config": "\(module).oauthbearer.OAuthBearerLoginModule required;",
            bearer + "server.callback.handler.class": "\(module).oauthbearer.OAuthBearerValidatorCallbackHandler",
            bearer + "oauthbearer.jwks.endpoint.url": keys,
            bearer + "oauthbearer.expected.audience": "kafka",
            bearer + "oauthbearer.expected.issuer": TokenEndpoint.issuer,
            "ssl.keystore.type": "PEM", "ssl.keystore.location": server.both,
            "ssl.truststore.type": "PEM", "ssl.truststore.location": files.authority,
            "ssl.client.auth": "none", "listener.name.ssl.ssl.client.auth": "required",
            "ssl.principal.mapping.rules": "RULE:^CN=([^,]+).*$/$1/,DEFAULT",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "allow.everyone.if.no.acl.found": "false",
            "super.users": "User:ANONYMOUS;User:\(user)",
        ]
    }

    /// Returns the broker as seen by a client with this mechanism.
    func broker(_ mechanism: Mechanism) -> Broker {
        Broker(
            bootstrapServers: "127.0.0.1:\(mechanism == .mutualTLS ? tls : sasl)", topics: administrator.topics,
            machinery: administrator.machinery)
    }

    /// Returns the settings that an executable needs, in addition to the broker's, to connect with this mechanism.
    ///
    /// - Parameters:
    ///   - changes: settings that replace or extend these; nil removes a setting.
    func settings(_ mechanism: Mechanism, as user: String = user, changing changes: [String: String?] = [:]) throws
        -> [String]
    {
        var settings: [String: String?] = [
            "kafka.security.protocol": mechanism == .mutualTLS ? "SSL" : "SASL_SSL",
            "kafka.ssl.ca.location": files.authority,
        ]
        switch mechanism {
        case .plain, .scram:
            settings["kafka.sasl.mechanism"] = mechanism.rawValue
            settings["kafka.sasl.username"] = user
            settings["kafka.sasl.password.file"] = try harness.write(Self.password, to: "password")
        case .mutualTLS:
            settings["kafka.ssl.certificate.location"] = certificate.certificate
            settings["kafka.ssl.key.location"] = certificate.key
        case .token:
            settings["kafka.token.provider"] = "client-credentials"
            settings["kafka.token.endpoint.url"] = tokens.url
            settings["kafka.token.client.id"] = TokenEndpoint.clientId
            settings["kafka.token.client.secret.file"] = try harness.write(TokenEndpoint.secret + "\n", to: "secret")
        }
        settings.merge(changes) { $1 }
        return settings.flatMap { name, value in value.map { ["--\(name)", $0] } ?? [] }
    }

    func stop() async throws {
        await tokens.close()
        try await cluster.stop()
    }
}

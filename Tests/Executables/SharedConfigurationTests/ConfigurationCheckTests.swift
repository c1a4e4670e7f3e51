import Configuration
import Kafka
import KafkaDevBroker
import Lifecycle
import Records
import TestSupport
import Testing

/// `sluicectl config check` builds the same objects as a startup, so it never accepts a configuration that fails to
/// start.
@Suite(.timeLimit(.minutes(5))) struct ConfigurationCheckTests {
    /// Errors of each executable that appear only at startup. Add new ones as rows here.
    static let refused: [ConfigurationCase] = [
        ConfigurationCase(.ingress, ["root.certificates": "{directory}/file"], refuses: "root.certificates"),
        ConfigurationCase(.ingress, ["apps": "com.example.app:1,com.example.app:2"], refuses: "apps"),
        ConfigurationCase(
            .ingress, ["apps.com.example.app.shared.secret.file": "{directory}/file"],
            refuses: "apps.com.example.app.shared.secret.file"),
        ConfigurationCase(.ingress, ["http.proxies": "nowhere"], refuses: "http.proxies"),
        ConfigurationCase(
            .ingress, ["http.client.proxy.credentials.file": "{directory}/file"],
            refuses: "http.client.proxy.credentials.file"),
        ConfigurationCase(.entitlements, ["data.dir": "{directory}/file/data"], refuses: "data.dir"),
        ConfigurationCase(.entitlements, ["products": "{directory}/file"], refuses: "products"),
        ConfigurationCase(.entitlements, ["http.keys.file": "{directory}/file"], refuses: "http.keys.file"),
        ConfigurationCase(.entitlements, ["http.host": "0.0.0.0"], refuses: "http.keys.file"),
        ConfigurationCase(.entitlements, ["root.certificates": "{directory}/file"], refuses: "root.certificates"),
        ConfigurationCase(
            .entitlements,
            [
                "appstore.api.issuer.id": "i", "appstore.api.key.id": "k",
                "appstore.api.key.file": "{directory}/signing.pem",
            ], refuses: "appstore.api.key.file"),
        ConfigurationCase(.entitlements, ["appstore.api.key.id": "k"], refuses: "appstore.api.issuer.id"),
        ConfigurationCase(.refunds, ["refunds.rules": "{directory}/file"], refuses: "refunds.rules"),
        ConfigurationCase(
            .refunds, ["refunds.provider.url": "https://api.example.com/"], refuses: "refunds.provider.secret.file"),
        ConfigurationCase(.refunds, ["data.dir": "{directory}/file/data"], refuses: "data.dir"),
        ConfigurationCase(.refunds, ["state.role": "worker"], refuses: "state.role"),
        ConfigurationCase(.refunds, ["apps.com.example.app.refunds": "off"], refuses: "apps"),
        ConfigurationCase(.reconciler, ["data.dir": "{directory}/file"], refuses: "data.dir"),
        ConfigurationCase(.reconciler, ["root.certificates": "{directory}/file"], refuses: "root.certificates"),
        ConfigurationCase(
            .reconciler, ["appstore.api.key.file": "{directory}/signing.pem"], refuses: "appstore.api.key.file"),
        ConfigurationCase(.reconciler, ["reconciler.failures.range": "1h"], refuses: "reconciler.failures.range"),
        ConfigurationCase(.reconciler, ["state.role": "reader"], refuses: "state.role"),
        ConfigurationCase(.archive, ["archive.url": "{directory}/missing/archive"], refuses: "archive.url"),
        ConfigurationCase(.archive, ["archive.url": "{directory}/file"], refuses: "archive.url"),
        ConfigurationCase(.archive, ["archive.url": "s3://bucket/prefix"], refuses: "archive.url"),
        ConfigurationCase(
            .archive, ["archive.signing.key.file": "{directory}/api.p8"], refuses: "archive.signing.key.file"),
        ConfigurationCase(.archive, ["archive.origin": "two words"], refuses: "archive.origin"),
        ConfigurationCase(
            .archive, ["archive.key.encryption.key.file": "{directory}/file"],
            refuses: "archive.key.encryption.key.file"),
        ConfigurationCase(
            .archive, ["archive.key.store": "{directory}/missing/keys.sqlite"], refuses: "archive.key.store"),
        ConfigurationCase(.archive, ["archive.anchor.url": "ftp://example.com"], refuses: "archive.anchor.url"),
        ConfigurationCase(
            .archive, ["archive.anchor.witnesses.file": "{directory}/file"], refuses: "archive.anchor.witnesses.file"),
        ConfigurationCase(.webhooks, ["webhooks.url": "http://api.example.com/"], refuses: "webhooks.url"),
        ConfigurationCase(.webhooks, ["webhooks.secret.file": "{directory}/file"], refuses: "webhooks.secret.file"),
        ConfigurationCase(.webhooks, ["webhooks.ca.file": "{directory}/file"], refuses: "webhooks.ca.file"),
    ]

    /// All executables; each passes Kafka properties on to its clients.
    static let all: [CheckedExecutable] = [.ingress, .entitlements, .refunds, .reconciler, .archive, .webhooks]

    private static let broker = Result { () throws -> DevBroker in
        let broker = try DevBroker()
        for topic in TopicNames().specifications(partitions: 1) {
            try broker.createTopic(topic.name, partitions: topic.partitions)
        }
        return broker
    }

    @Test(arguments: refused + all.map { ConfigurationCase($0, ["kafka.acks": "none"], refuses: "kafka.acks") })
    func `config check rejects every configuration that fails at startup`(_ example: ConfigurationCase) async throws {
        let files = try ValidConfiguration()
        let brokers = try Self.broker.get().bootstrapServers
        let configuration = try files.configuration(example.executable, example.properties, brokers: brokers)
        let checked = #expect(throws: ConfigurationError.self) { try example.executable.check(configuration) }
        #expect(checked?.key == example.key, "\(checked?.description ?? "")")
        let started = await #expect(throws: (any Error).self) {
            try await example.executable.start(configuration)
        }
        let line = (started as? StartupError)?.line ?? (started as? ConfigurationError)?.description ?? ""
        #expect(line.contains(example.key), "\(line)")
    }

    @Test(arguments: all)
    func `config check accepts valid settings and creates nothing`(_ executable: CheckedExecutable) async throws {
        let files = try ValidConfiguration()
        let configuration = try files.configuration(executable, [:], brokers: try Self.broker.get().bootstrapServers)
        let before = try files.contents
        try executable.check(configuration)
        #expect(try files.contents == before)
        try await executable.start(configuration)
    }
}

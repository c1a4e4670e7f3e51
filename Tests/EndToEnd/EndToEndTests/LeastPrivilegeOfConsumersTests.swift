import AppStoreModel
import AppStoreSigning
import Foundation
import HTTPClient
import HTTPServer
import Kafka
import Records
import Simulator
import TestSupport
import Testing

extension EndToEnd {
    /// The other executables with exactly the rights that `sluicectl topics acls` prints, on a broker that denies all
    /// others.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)"), .timeLimit(.minutes(60)))
    struct LeastPrivilegeOfConsumersOnApacheKafka {
        /// The short form tests every fourth right.
        private static let step = TestScale.choose(short: 4, long: 1)

        @Test(arguments: Consumer.all)
        fileprivate func `a consumer works with the printed rights, and nothing is denied`(_ consumer: Consumer)
            async throws
        {
            try await Harness.open { harness in
                let world = try await ConsumerWorld(harness, consumer)
                try await world.secured.grant(consumer.executable, consumer.aclsFlags)
                try await world.feed(seed: 1)
                let process = try await world.start("0")
                for topic in consumer.outputs(world.secured.administrator.topics) {
                    let hasRecords = try await eventually(within: .seconds(60)) {
                        await pass(.milliseconds(200))
                        return try await !world.secured.administrator.records(of: topic).isEmpty
                    }
                    #expect(hasRecords, "\(topic): \(process)")
                }
                try await world.startOwner()
                try await world.expectReady(process)
                // A second start reads the output of the first.
                await process.stop()
                try await world.expectReady(try await world.start("0"))
                let denials = world.secured.denials.filter { $0.contains("User:\(consumer.executable) ") }
                #expect(denials.isEmpty, "\(denials.prefix(5))")
                try await world.close()
            }
        }

        @Test(arguments: Consumer.all)
        fileprivate func `the removal of any right of a consumer is reported with its resource`(
            _ consumer: Consumer
        ) async throws {
            try await Harness.open { harness in
                let world = try await ConsumerWorld(harness, consumer)
                try await world.secured.grant(consumer.executable, consumer.aclsFlags)
                var rights = try await world.secured.rights(of: consumer.executable, consumer.aclsFlags)
                try #require(rights.count >= 5)
                let once = rights.partition(by: { !consumer.uses($0, in: consumer.once) })
                #expect(once == consumer.once.count)
                var missed: [String] = []
                for (index, right) in rights.enumerated() where index % Self.step == 0 && !consumer.isSilent(right) {
                    let refusals = world.secured.denials.count
                    // A log that may be created is opened without the checkpoints in the topic, and an empty topic is
                    // not fetched.
                    let readsCheckpoints = consumer.isReadOfCheckpoints(right)
                    if readsCheckpoints { try await world.writeCheckpoint() }
                    try await world.secured.without(right) {
                        try await world.feed(seed: UInt64(index + 2))
                        let process = try await world.start("\(index)", beginsLogs: !readsCheckpoints)
                        let isNamed = await eventually(within: .seconds(30)) {
                            await pass(.milliseconds(200))
                            return world.isNamed(right, by: process)
                                || world.secured.hasRefused(right, after: refusals)
                        }
                        if isNamed { missed.append("\(right)") }
                        #expect(isNamed, "\(right); \(process)")
                        await process.stop()
                    }
                }
                print("\(consumer): \(missed.count) of \(rights.count) rights, each missed when it is taken away")
                try await world.close()
            }
        }
    }
}

/// An executable with its own Kafka principal.
private struct Consumer: Sendable, CustomTestStringConvertible, CustomStringConvertible {
    let executable: String
    /// Whether the consumer is a reader of the state, which is not a member of a group.
    var isReader = false
    /// Rights that are used only in topic states that this test does not provoke: operation and topic.
    var rare: [String] = []
    /// Rights that only the first member uses, because the others find the work done: operation and topic.
    var once: [String] = []

    var testDescription: String { isReader ? "\(executable), a reader" : executable }
    var description: String { testDescription }
    var aclsFlags: [String] { isReader ? ["--state.role", "reader"] : [] }

    static let all = [
        Consumer(executable: "sluice-webhooks"),
        // A reader owns no partition. It writes a state only if a row that it reads must be republished.
        Consumer(
            executable: "sluice-entitlements", isReader: true,
            rare: ["Write entitlements.production", "Write entitlements.sandbox"]),
        Consumer(executable: "sluice-refunds"), Consumer(executable: "sluice-archive", rare: ["Write erasures"]),
        // Used if Apple's history contains missing, nonconforming or differing data.
        Consumer(
            executable: "sluice-reconciler",
            rare: [
                "Write notifications.sandbox", "Write quarantine", "Read quarantine", "Write certificates",
                "Read entitlements.production", "Read entitlements.sandbox", "Write entitlements.production",
                "Write entitlements.sandbox",
            ],
            once: ["Write notifications.production"]),
    ]

    func isSilent(_ right: SecuredBroker.Right) -> Bool { uses(right, in: rare) }

    func uses(_ right: SecuredBroker.Right, in list: [String]) -> Bool {
        // The prefix of the test's topics has two segments.
        let topic = right.name.split(separator: ".", maxSplits: 2).last ?? ""
        return list.contains("\(right.operation) \(topic)")
    }

    func isReadOfCheckpoints(_ right: SecuredBroker.Right) -> Bool {
        right.operation == "Read" && right.name.hasSuffix(".archive.checkpoints")
    }

    /// Topics that the consumer writes.
    func outputs(_ topics: TopicNames) -> [KafkaTopic] {
        switch executable {
        case "sluice-refunds": [topics.refunds(.production), topics.refunds(.sandbox)] + letters(topics)
        case "sluice-reconciler": [topics.reconciliation(.production)] + letters(topics)
        case "sluice-archive": [topics.archiveCheckpoints]
        case "sluice-webhooks": [topics.entitlements(.production).deadLetters(of: executable)]
        default: []
        }
    }

    private func letters(_ topics: TopicNames) -> [KafkaTopic] {
        topics.deadLetters(of: executable, partitions: 1).map(\.name)
    }
}

/// A secured broker with an ingress that has all rights, and the dependencies of one consumer.
private struct ConsumerWorld {
    let secured: SecuredBroker
    private let consumer: Consumer
    private let harness: Harness
    private let app: SentApp
    private let ingress: Ingress
    private let api: (port: Int64, sandboxPort: Int64)
    private let receiver: HTTPServer

    init(_ harness: Harness, _ consumer: Consumer) async throws {
        (self.harness, self.consumer) = (harness, consumer)
        secured = try await SecuredBroker(harness, users: [consumer.executable])
        app = try await harness.simulatedApp()
        ingress = try await harness.ingress(on: secured.administrator, for: app)
        // The reconciler publishes a missing notification only when it is two minutes old.
        let earlier = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -600))
        let process = try harness.start(
            Executable(
                "sluice-simulator",
                arguments: [
                    "serve", "--pki", harness.path("pki"), "--scenario", "non-consumable",
                    "--accounts", "1", "--undelivered", "100%", "--as-of", earlier, "--accept-unknown", "--api-port",
                    "0",
                ]))
        try await waitUntil { process.output.contains("\n") || process.ended != nil }
        let ports = try #require(JSON.object(process.output), "\(process)")
        api = (try #require(ports.integer("port")), try #require(ports.integer("sandboxPort")))
        receiver = HTTPServer(listeners: [
            Listener(
                name: "receiver", host: "127.0.0.1", port: 0, limits: .public, admit: { _ in .body(limit: 1_000_000) },
                handle: { _, exchange in exchange.respond(HTTPResponse(status: 204, reason: "ok")) })
        ])
        try receiver.start()
    }

    func close() async throws {
        await receiver.drain(within: .zero)
        try await secured.cluster.stop()
    }

    /// Posts a purchase and a refund request in each environment, and writes records that no consumer can handle.
    func feed(seed: UInt64) async throws {
        let pki = try TestCertificateAuthority.load(from: harness.path("pki"))
        let client = HTTPClient()
        defer { client.close() }
        for environment in AppStoreEnvironment.published {
            let app = SimulatedApp(
                bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: environment)
            let corpus = try NotificationCorpus(
                count: 2, seed: seed, pki: pki, app: app,
                scenarios: Scenario.all.filter { $0.name == "subscription-renewing" },
                endingAt: Int64(Date().timeIntervalSince1970 * 1000))
            for notification in corpus.notifications {
                #expect(try await ingress.post(notification.body, with: client).status == 200)
            }
        }
        _ = try await ingress.post(try await harness.nonconformingNotification(), with: client)
        let topics = secured.administrator.topics
        let poisoned = topics.notifications().map(\.name) + [topics.entitlements(.production)]
        let requests = AppStoreEnvironment.published.map {
            RefundRequests.record("9\(seed)", secured.administrator, in: $0)
        }
        try await secured.administrator.write(
            requests
                + poisoned.map {
                    KafkaProducerRecord(topic: $0, key: Array("a".utf8), value: Array("poison \(seed)".utf8))
                })
    }

    /// Writes a checkpoint of an unrelated log to the archive's topic.
    func writeCheckpoint() async throws {
        try await secured.administrator.write([
            KafkaProducerRecord(
                topic: secured.administrator.topics.archiveCheckpoints, key: Array("example.com/other".utf8),
                value: Array("a note".utf8))
        ])
    }

    /// Starts the consumer with a separate state. It need not become ready.
    ///
    /// - Parameter beginsLogs: whether an archive may begin its logs although the group has offsets from the archives
    ///   of earlier members.
    func start(_ name: String, beginsLogs: Bool = true) async throws -> ChildProcess {
        let data = harness.path("data-\(name)")
        var arguments =
            try secured.broker.arguments + secured.settings(of: consumer.executable)
            + ["--admin.port", "0"] + (await own(data))
        if consumer.executable == "sluice-archive", beginsLogs { arguments += ["--archive.begin", "true"] }
        return try harness.start(Executable(consumer.executable, arguments: arguments))
    }

    /// Starts a member that reads the input if the consumer itself does not.
    func startOwner() async throws {
        guard consumer.isReader else { return }
        _ = try await harness.entitlements(on: secured.administrator, data: "owner")
    }

    private func own(_ data: String) async throws -> [String] {
        switch consumer.executable {
        case "sluice-webhooks":
            let key = "whsec_" + Data(repeating: 1, count: 32).base64EncodedString()
            return [
                "--webhooks.url", "http://127.0.0.1:\(receiver.port())/", "--webhooks.secret.file",
                try harness.write(key, to: "webhook-key"), "--data.dir", data,
            ]
        case "sluice-archive": return try await archive(data)
        case "sluice-entitlements":
            // With configured apps it reads the certificates for the first uploads.
            return [
                "--data.dir", data, "--http.port", "0", "--state.role", "reader", "--apps", SentApp.simulated,
                "--root.certificates", harness.path("pki/root.pem"), "--revocation", "off",
            ]
        case "sluice-refunds":
            let rules = try harness.write(RefundRequests.rules("decline"), to: "rules.json")
            return ["--data.dir", data, "--refunds.rules", rules] + serverAPI
        default: return ["--data.dir", data, "--reconciler.failures.range", "30d"] + serverAPI
        }
    }

    private var serverAPI: [String] {
        [
            "--apps", SentApp.simulated, "--root.certificates", harness.path("pki/root.pem"), "--revocation", "off",
            "--appstore.api.issuer.id", SimulatedAPIKey.issuerId, "--appstore.api.key.id", SimulatedAPIKey.keyId,
            "--appstore.api.key.file", harness.path("pki/\(SimulatedAPIKey.fileName)"),
            "--appstore.api.url", "http://127.0.0.1:\(api.port)",
            "--appstore.api.sandbox.url", "http://127.0.0.1:\(api.sandboxPort)",
        ]
    }

    private func archive(_ data: String) async throws -> [String] {
        let origin = ["--archive.origin", "example.com/test"]
        // All members share the keys topic, and therefore the key-encryption key.
        let encryption = harness.path("archive-kek")
        let keys = [["signing", "\(data)-signing.pem"] + origin, ["encryption", encryption]]
        for key in keys where !FileManager.default.fileExists(atPath: key[1]) {
            let made = try await harness.run(Executable("sluicectl", arguments: ["archive", "key"] + key))
            try #require(made.end == .exit(0), "\(made)")
        }
        return [
            "--data.dir", data, "--archive.url", "\(data)-archive", "--archive.signing.key.file",
            "\(data)-signing.pem", "--archive.key.encryption.key.file", encryption, "--archive.key.store",
            "\(data)-keys.sqlite", "--archive.flush.interval", "500ms",
            // The first checkpoints may follow the first check for them, and the next check is a minute later by
            // default.
            "--archive.anchor.interval", "1s",
        ] + origin
    }

    func expectReady(_ process: ChildProcess) async throws {
        let admin = try await AdminAddress(process)
        let client = HTTPClient()
        defer { client.close() }
        let isReady = await eventually(within: .seconds(60)) {
            await pass(.milliseconds(200))
            return await admin.isReady(client)
        }
        #expect(isReady && process.ended == nil, "\(process)")
    }

    /// Whether a warning or an error names the resource, except warnings about a cluster of one broker.
    func isNamed(_ right: SecuredBroker.Right, by process: ChildProcess) -> Bool {
        process.log.contains { line in
            let text = "\(line.fields)"
            return line.level != "info" && text.contains("\(right.resource) \(right.name) ")
                && !text.contains("expected at least")
        }
    }
}

import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// The commands of `sluicectl` against running services, with output for programs.
    @Suite struct OperatorTool {
        @Test func `topics, tap, verify and entitlements show the simulator's notifications`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 12)
                let app = try await harness.simulatedApp()
                let ingress = try await harness.ingress(on: broker, for: app)
                let entitlements = try await harness.entitlements(on: broker)
                let posted = try await harness.post(to: ingress, ["--scenario", "subscription-life"])

                let topics = try await harness.sluicectl(["topics", "check"] + broker.arguments)
                #expect(topics.end == .exit(0), "\(topics)")
                #expect(try topics.json.flag("embeddedBroker") == true)
                #expect(Set(try topics.json.objects("topics").compactMap { $0.text("status") }) == ["exists"])

                let tap = try await harness.sluicectl(["tap", "--no-follow"] + broker.tapArguments)
                #expect(tap.end == .exit(0), "\(tap)")
                let tapped = try tap.jsonLines
                #expect(
                    tapped.compactMap { $0.object("headers")?.text("ce_id") }.sorted()
                        == posted.compactMap { $0.text("notificationUUID") }.sorted())

                let rebuilt = try await harness.run(
                    Executable("sluicectl", arguments: ["tap", "--signed", "--no-follow"] + broker.tapArguments))
                let signed = try #require(rebuilt.output.split(separator: "\n").first, "\(rebuilt)")
                try await expectVerdicts(of: String(signed), app, harness)
                try await expectEntitlements(of: posted, entitlements, harness)
            }
        }

        @Test func `tap shows quarantined records with their reasons`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let nonconforming = try await harness.nonconformingNotification()
                let client = HTTPClient()
                defer { client.close() }
                #expect(try await ingress.post(nonconforming, with: client).status == 200)

                let tap = try await harness.sluicectl(["tap", "--quarantine", "--no-follow"] + broker.tapArguments)
                let record = try #require(try tap.jsonLines.first, "\(tap)")
                #expect(try tap.jsonLines.count == 1)
                #expect(record.text("kind") == "quarantine")
                #expect(record.text("value") == String(decoding: nonconforming, as: UTF8.self))
                #expect(record.object("headers")?.text("sluice.quarantine.reason")?.isEmpty == false)
            }
        }

        @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
        func `topics created on Apache Kafka pass the check`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(withTopics: false)
                let options = broker.arguments + ["--partitions", "3"]

                let missing = try await harness.sluicectl(["topics", "check"] + options)
                #expect(missing.end == .exit(1), "\(missing)")
                #expect(Set(try missing.json.objects("topics").compactMap { $0.text("status") }) == ["missing"])

                let applied = try await harness.sluicectl(["topics", "apply"] + options)
                #expect(applied.end == .exit(0), "\(applied)")
                let expected = harness.topics.specifications(partitions: 3).map(\.name.rawValue)
                #expect(
                    try applied.json.objects("topics").compactMap { $0.text("topic") }.sorted() == expected.sorted())
                #expect(Set(try applied.json.objects("topics").compactMap { $0.text("status") }) == ["created"])

                let checked = try await harness.sluicectl(["topics", "check"] + options)
                #expect(checked.end == .exit(0), "\(checked)")
                #expect(Set(try checked.json.objects("topics").compactMap { $0.text("status") }) == ["exists"])
                // The ingress starts, because it finds its topics.
                _ = try await harness.ingress(on: broker, for: .appleSamples)
            }
        }

        @Test func `config and version work without brokers`() async throws {
            try await Harness.open { harness in
                let file = try harness.write("apps=com.example.app:1\nprofile=single-node\n", to: "sluice.properties")
                let good = try await harness.sluicectl(["config", "check", "--config", file])
                #expect(good.end == .exit(0), "\(good)")
                #expect(try good.json.flag("ok") == true)

                let shown = try await harness.sluicectl(["config", "show", "--for", "sluice-ingress", "--config", file])
                #expect(shown.end == .exit(0), "\(shown)")
                #expect(try shown.json.objects("executables").map { $0.text("executable") } == ["sluice-ingress"])

                let wrong = try harness.write("apps=com.example.app\n", to: "wrong.properties")
                let bad = try await harness.sluicectl(["config", "check", "--config", wrong])
                #expect(bad.end == .exit(78), "\(bad)")
                #expect(try bad.json.flag("ok") == false)

                let version = try await harness.sluicectl(["version"])
                #expect(version.end == .exit(0), "\(version)")
                #expect(
                    Set(try version.json.keys)
                        == ["sluice", "swift", "librdkafka", "openssl", "sqlite", "libcurl", "formats"])
            }
        }

        private func expectVerdicts(of signedPayload: String, _ app: SentApp, _ harness: Harness) async throws {
            let file = try harness.write(#"{"signedPayload":"\#(signedPayload)"}"#, to: "body.json")
            let root = try #require(app.rootCertificate)
            let ours = try await harness.sluicectl(["verify", file, "--root.certificates", root, "--apps", app.setting])
            #expect(ours.end == .exit(0), "\(ours)")
            #expect(try ours.json.flag("accepted") == true)
            // The notification is not signed under Apple's root.
            let byApple = try await harness.sluicectl(["verify", file])
            #expect(byApple.end == .exit(1), "\(byApple)")
            #expect(try byApple.json.flag("accepted") == false)
            #expect(try byApple.json.text("reason") != nil)
        }

        private func expectEntitlements(
            of posted: [JSON.Object], _ entitlements: Entitlements, _ harness: Harness
        ) async throws {
            let original = try #require(posted.compactMap { $0.text("originalTransactionId") }.first)
            let client = HTTPClient()
            defer { client.close() }
            let isKnown = try await eventually(within: .seconds(20)) {
                try await entitlements.answer(
                    originalTransactionId: original, environment: "Production", with: client) != nil
            }
            try #require(isKnown, "\(entitlements.process)")
            let shown = try await harness.sluicectl(
                ["entitlements", "show", original, "--entitlements.url", entitlements.url])
            #expect(shown.end == .exit(0), "\(shown)")
            #expect(try shown.json.text("originalTransactionId") == original)
            let unknown = try await harness.sluicectl(
                ["entitlements", "show", "1", "--entitlements.url", entitlements.url])
            #expect(unknown.end == .exit(1), "\(unknown)")
        }
    }
}

extension Harness {
    /// Runs a command of `sluicectl` with JSON output.
    func sluicectl(_ arguments: [String]) async throws -> Finished {
        try await run(Executable("sluicectl", arguments: arguments + ["--output", "json"]))
    }
}

extension Broker {
    /// Flags of `tap`, which has no profile because it only reads.
    var tapArguments: [String] {
        ["--kafka.bootstrap.servers", bootstrapServers, "--topics.prefix", topics.prefix]
    }
}

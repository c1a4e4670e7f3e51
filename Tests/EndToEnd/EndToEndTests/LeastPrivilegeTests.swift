import AppStoreModel
import AppStoreSigning
import Foundation
import HTTPClient
import Kafka
import Records
import Simulator
import TestSupport
import Testing

extension EndToEnd {
    /// The executables with exactly the rights that `sluicectl topics acls` prints, on a broker that denies all others.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)")) struct LeastPrivilegeOnApacheKafka {
        private static let ingress = "sluice-ingress"
        private static let entitlements = "sluice-entitlements"

        @Test func `ingress and entitlements work with the printed rights, and nothing is denied`() async throws {
            try await Harness.open { harness in
                let secured = try await SecuredBroker(harness, users: [Self.ingress, Self.entitlements])
                for executable in [Self.ingress, Self.entitlements] { try await secured.grant(executable) }
                let app = try await harness.simulatedApp()
                let ingress = try await harness.ingress(
                    on: secured.broker, for: app, settings: try secured.settings(of: Self.ingress))
                let entitlements = try await harness.entitlements(
                    on: secured.broker, settings: try secured.settings(of: Self.entitlements))
                try await notify(ingress, harness)
                try await poison(secured.administrator)

                let topics = secured.administrator.topics
                try await expectRecords(in: topics.entitlements(.production), secured)
                try await expectRecords(in: topics.quarantine, secured)
                for letters in topics.deadLetters(of: Self.entitlements, partitions: 1) {
                    try await expectRecords(in: letters.name, secured)
                }
                // A second start reads the output of the first.
                let again = try await harness.ingress(
                    on: secured.broker, for: app, settings: try secured.settings(of: Self.ingress))
                try await notify(again, harness)
                for process in [ingress.process, entitlements.process, again.process] {
                    #expect(process.ended == nil, "\(process)")
                    #expect(!process.log.contains { $0.level == "warning" && "\($0.fields)".contains("Describe") })
                }
                #expect(secured.denials.isEmpty, "\(secured.denials.prefix(5))")
                try await expectDenial(on: topics.quarantine, secured) {
                    try await harness.ingress(
                        on: secured.broker, for: app, settings: try secured.settings(of: Self.ingress)
                    ).process
                }
                try await secured.cluster.stop()
            }
        }

        @Test func `a member without the right to its group reports the fix`() async throws {
            try await Harness.open { harness in
                let secured = try await SecuredBroker(harness, users: [Self.entitlements])
                try await secured.grant(Self.entitlements)
                let group = try #require(
                    try await secured.rights(of: Self.entitlements).first { $0.resource == "group" })
                try await secured.without(group) {
                    let app = try await harness.simulatedApp()
                    let process = try start(Self.entitlements, "group", secured, app, harness)
                    let port = try await AdminAddress(process).port
                    let client = HTTPClient()
                    defer { client.close() }
                    var answer = ""
                    let isNamed = await eventually(within: .seconds(40)) {
                        await pass(.milliseconds(200))
                        let url = "http://127.0.0.1:\(port)/readyz"
                        answer =
                            (try? await client.send(HTTPClientRequest(url: url))).map {
                                String(decoding: $0.body, as: UTF8.self)
                            } ?? ""
                        return answer.contains("Group authorization failed")
                    }
                    #expect(isNamed && answer.contains("sluicectl topics acls"), "\(answer); \(process)")
                    await process.stop()
                }
                try await secured.cluster.stop()
            }
        }

        @Test(arguments: [ingress, entitlements])
        func `the removal of any right is reported with its resource`(_ executable: String) async throws {
            try await Harness.open { harness in
                let secured = try await SecuredBroker(harness, users: [executable])
                try await secured.grant(executable)
                let rights = try await secured.rights(of: executable)
                try #require(rights.count > 8)
                for (index, right) in rights.enumerated() {
                    // The certificates of another root are not in the topic yet.
                    let pki = "pki-\(index)"
                    let app = try await harness.simulatedApp(pki: pki)
                    let refusals = secured.denials.count
                    try await secured.without(right) {
                        let process = try start(executable, "\(index)", secured, app, harness)
                        let receiver =
                            executable == Self.ingress
                            ? process : try start(Self.ingress, "", secured, app, harness, asAdministrator: true)
                        if let url = try await url(of: receiver) {
                            try await post(to: url, seed: UInt64(index), pki: harness.path(pki))
                        }
                        let isMissed = await eventually(within: .seconds(20)) {
                            await pass(.milliseconds(100))
                            return isNamed(right, by: process) || secured.hasRefused(right, after: refusals)
                        }
                        #expect(isMissed, "\(right); \(process)")
                        await process.stop()
                        await receiver.stop()
                    }
                }
                try await secured.cluster.stop()
            }
        }
    }
}

extension EndToEnd.LeastPrivilegeOnApacheKafka {
    /// Posts notifications of a purchase, and one that will be quarantined.
    private func notify(_ ingress: Ingress, _ harness: Harness) async throws {
        let posted = try await harness.post(to: ingress, ["--scenario", "subscription-renewing"])
        #expect(!posted.isEmpty)
        #expect(posted.allSatisfy { $0.integer("status") == 200 }, "\(ingress.process)")
        let client = HTTPClient()
        defer { client.close() }
        #expect(try await ingress.post(try await harness.nonconformingNotification(), with: client).status == 200)
    }

    /// Writes a record that no consumer can handle to each notification topic.
    private func poison(_ broker: Broker) async throws {
        try await broker.write(
            broker.topics.notifications().map {
                KafkaProducerRecord(topic: $0.name, key: Array("a".utf8), value: Array("poison".utf8))
            })
    }

    private func expectRecords(in topic: KafkaTopic, _ secured: SecuredBroker) async throws {
        let isThere = try await eventually(within: .seconds(30)) {
            try await !secured.administrator.records(of: topic).isEmpty
        }
        #expect(isThere, "\(topic)")
    }

    /// Removes the ingress's right to describe the settings of a topic. At the next start its warning and the broker's
    /// log must name the topic. This proves that the log reports denials at all.
    private func expectDenial(
        on topic: KafkaTopic, _ secured: SecuredBroker, start: () async throws -> ChildProcess
    ) async throws {
        _ = try await secured.cluster.tool(
            "kafka-acls.sh",
            [
                "--remove", "--force", "--allow-principal", "User:\(Self.ingress)", "--operation", "DescribeConfigs",
                "--topic", topic.rawValue,
            ])
        let process = try await start()
        #expect(process.errors.contains("cannot read the settings of topic \(topic)"), "\(process)")
        let isLogged = await eventually(within: .seconds(20)) {
            await pass(.milliseconds(100))
            return secured.denials.contains { $0.contains("resource = Topic:LITERAL:\(topic) ") }
        }
        #expect(isLogged)
    }

    /// Starts an executable with a separate state. It need not become ready.
    private func start(
        _ executable: String, _ name: String, _ secured: SecuredBroker, _ app: SentApp, _ harness: Harness,
        asAdministrator: Bool = false
    ) throws -> ChildProcess {
        var environment = ["SLUICE_APPS": app.setting, "SLUICE_REVOCATION": "off"]
        environment["SLUICE_ROOT_CERTIFICATES"] = app.rootCertificate
        var settings = ["--admin.port", "0", "--http.host", "127.0.0.1", "--http.port", "0"]
        if executable != Self.ingress { settings += ["--data.dir", harness.path("data-\(name)")] }
        settings +=
            asAdministrator
            ? secured.administrator.arguments
            : try secured.broker.arguments + secured.settings(of: executable)
        return try harness.start(Executable(executable, arguments: settings, environment: environment))
    }

    /// Returns the notification URL of an ingress; nil if it ended at startup.
    private func url(of process: ChildProcess) async throws -> String? {
        var port: UInt16?
        _ = await eventually(within: .seconds(20)) {
            port =
                process.log.first {
                    $0.message == "ready" && $0.fields.text("listener") == "notifications"
                }?.port
            return port != nil || process.ended != nil
        }
        return port.map { "http://127.0.0.1:\($0)/notifications" }
    }

    /// Whether a warning or an error names the resource, except warnings about a cluster of one broker.
    private func isNamed(_ right: SecuredBroker.Right, by process: ChildProcess) -> Bool {
        process.log.contains { line in
            let text = "\(line.fields)"
            return line.level != "info" && text.contains("\(right.resource) \(right.name) ")
                && !text.contains("expected at least")
        }
    }

    /// Posts a notification in each environment, and ignores the responses.
    private func post(to url: String, seed: UInt64, pki directory: String) async throws {
        let pki = try TestCertificateAuthority.load(from: directory)
        var bodies: [[UInt8]] = []
        for environment in AppStoreEnvironment.published {
            let app = SimulatedApp(
                bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: environment)
            bodies += try NotificationCorpus(
                count: 1, seed: seed, pki: pki, app: app,
                scenarios: Scenario.all.filter { $0.name == "subscription-renewing" },
                endingAt: Int64(Date().timeIntervalSince1970 * 1000)
            ).notifications.map(\.body)
        }
        let client = HTTPClient()
        defer { client.close() }
        for body in bodies {
            _ = try? await client.send(
                HTTPClientRequest(
                    method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")],
                    body: body, timeout: .seconds(20)))
        }
    }
}

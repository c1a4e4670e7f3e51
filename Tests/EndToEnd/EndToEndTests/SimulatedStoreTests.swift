import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// Complete life cycles from the simulated App Store, through the ingress, to a customer's entitlements.
    @Suite struct SimulatedStore {
        @Test func `every scenario is acknowledged and recorded, and its purchases can be queried`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 12)
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let entitlements = try await harness.entitlements(on: broker)

                let posted = try await harness.post(
                    to: ingress, ["--scenario", "all", "--duplicates", "20%", "--disorder", "20%"])
                let acknowledged = posted.filter { (200...206).contains($0.integer("status") ?? 0) }
                #expect(acknowledged.count == posted.count)
                let records = try await broker.records(of: broker.notifications(.production))
                let uuids = Set(acknowledged.compactMap { $0.text("notificationUUID") })
                #expect(uuids.count > 50)
                #expect(records.compactMap { $0.header("ce_id")?.text }.sorted() == uuids.sorted())
                let keys = Dictionary(
                    posted.map { ($0.text("notificationUUID"), $0.text("key")) }, uniquingKeysWith: { one, _ in one })
                for record in records {
                    #expect(
                        record.key.map { String(decoding: $0, as: UTF8.self) } == keys[record.header("ce_id")?.text])
                }
                try await expectAnswers(entitlements, for: Set(posted.compactMap { $0.text("originalTransactionId") }))
            }
        }

        @Test func `every scenario in the older formats is acknowledged and recorded once, without its secret`()
            async throws
        {
            let secret = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 12)
                let file = try harness.write(secret + "\n", to: "shared-secret")
                let ingress = try await harness.ingress(
                    on: broker, for: try await harness.simulatedApp(),
                    settings: ["--apps.com.example.app.shared.secret.file", file])
                let posted = try await harness.post(
                    to: ingress,
                    [
                        "--scenario", "all", "--formats", "v1,v0", "--shared-secret-file", file, "--duplicates", "20%",
                        "--disorder", "20%",
                    ])
                let acknowledged = posted.filter { (200...206).contains($0.integer("status") ?? 0) }
                #expect(acknowledged.count == posted.count && posted.count > 100)
                let records = try await broker.records(of: broker.notifications(.production))
                let bodies = posted.count { $0.text("format") != nil && $0["duplicate"] == nil }
                let identifiers = Set(records.compactMap { $0.header("ce_id")?.text })
                // A body without an event date is published each time it is posted, other bodies once.
                #expect(identifiers.count >= bodies, "\(identifiers.count) of \(bodies)")
                #expect(identifiers.count < posted.count, "\(identifiers.count) of \(posted.count)")
                #expect(records.count == identifiers.count)
                for record in records {
                    #expect(record.header("ce_trust")?.text == "shared-secret")
                    let value = String(decoding: record.value ?? [], as: UTF8.self)
                    #expect(value.contains("\"legacy\"") && !value.contains(secret) && !value.contains("MIIT"))
                }
                #expect(try await broker.records(of: broker.quarantine).isEmpty)
            }
        }

        @Test func `nonconforming notifications signed by Apple are quarantined byte for byte`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let body = try await harness.nonconformingNotification()
                let client = HTTPClient()
                defer { client.close() }
                #expect(try await ingress.post(body, with: client).status == 200)

                let record = try #require(try await broker.records(of: broker.quarantine).first)
                #expect(record.value == body)
                #expect(record.header("sluice.quarantine.reason")?.text?.isEmpty == false)
                #expect(record.header("sluice.quarantine.source")?.text == "live")
                #expect(try await broker.notificationUUIDs().isEmpty)
            }
        }

        private func expectAnswers(_ entitlements: Entitlements, for originals: Set<String>) async throws {
            let client = HTTPClient()
            defer { client.close() }
            #expect(originals.count > 10)
            for original in originals {
                let isKnown = try await eventually(within: .seconds(20)) {
                    try await entitlements.answer(
                        originalTransactionId: original, environment: "Production", with: client) != nil
                }
                #expect(isKnown, "\(original); \(entitlements.process)")
            }
        }
    }
}

extension Harness {
    /// Runs the simulator to completion, and returns its report with one object for each attempt. Requires
    /// `simulatedApp()`.
    func post(to ingress: Ingress, _ arguments: [String]) async throws -> [JSON.Object] {
        let report = path("report.jsonl")
        let finished = try await run(
            Executable(
                "sluice-simulator",
                arguments: ["post", "--url", ingress.url, "--pki", path("pki"), "--report", report] + arguments))
        #expect(finished.end == .exit(0), "\(finished); \(ingress.process)")
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
        return try lines.map { try #require(JSON.object(String($0)), "\($0)") }
    }

    /// Returns the body of a notification with an unknown version, signed like all others. Requires `simulatedApp()`.
    func nonconformingNotification() async throws -> [UInt8] {
        let payload = """
            {"notificationType":"TEST","notificationUUID":"\(UUID().uuidString.lowercased())","version":"9.0",\
            "signedDate":\(Int64(Date().timeIntervalSince1970 * 1000)),\
            "data":{"appAppleId":1234567890,"bundleId":"com.example.app","environment":"Production"}}
            """
        let signed = try await run(
            Executable(
                "sluice-simulator",
                arguments: ["sign", "--pki", path("pki"), "--body", try write(payload, to: "odd.json")]))
        try #require(signed.end == .exit(0), "\(signed)")
        return Array(signed.output.trimmingCharacters(in: .newlines).utf8)
    }
}

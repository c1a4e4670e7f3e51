import AppStoreModel
import Foundation
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// What Apple signed comes back from Kafka byte for byte: with the library, with `sluicectl`, and with the recipe
    /// for other languages.
    @Suite struct Rebuilding {
        @Test func `sluicectl and the recipe in Python rebuild what was signed`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "all", "--accounts", "60", "--app", SentApp.simulated])
                let headers = try await broker.headers()
                let records = try await broker.records(of: broker.notifications(.production))
                #expect(records.count == posted.count)
                let signed = try records.map { record in
                    String(decoding: try NotificationRecord(record).rebuild { headers[$0] }, as: UTF8.self)
                }.sorted()

                let tap = try await harness.run(
                    Executable(
                        "sluicectl",
                        arguments: ["tap", "--signed", "--no-follow"] + broker.tapArguments))
                #expect(tap.end == .exit(0), "\(tap)")
                #expect(tap.output.split(separator: "\n").map(String.init).sorted() == signed)
                try await compareRecipe(records, headers, signed, harness)
            }
        }

        private func compareRecipe(
            _ records: [KafkaRecord], _ headers: [HeaderReference: [UInt8]], _ signed: [String], _ harness: Harness
        ) async throws {
            guard let python = Program.path(of: "python3") else { return }
            // As `kcat -J` prints them.
            func lines(_ records: [(key: String, payload: [UInt8])]) throws -> String {
                try records.map { record in
                    let line = ["key": record.key, "payload": String(decoding: record.payload, as: UTF8.self)]
                    return String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self) + "\n"
                }.joined()
            }
            let certificates = try harness.write(
                try lines(headers.map { ($0.rawValue, $1) }), to: "certificates.jsonl")
            let values = try harness.write(try lines(records.map { ("", $0.value ?? []) }), to: "records.jsonl")
            let recipe = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
                .appending(path: "../../../deploy/rebuild.py").standardized.path
            let run = try await harness.run(["sh", "-c", "'\(python)' '\(recipe)' '\(certificates)' < '\(values)'"])
            #expect(run.end == .exit(0), "\(run)")
            #expect(run.output.split(separator: "\n").map(String.init).sorted() == signed)
        }
    }
}

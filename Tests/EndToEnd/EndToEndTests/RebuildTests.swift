import AppStoreModel
import Foundation
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// Signed payloads can be rebuilt from Kafka byte for byte: with the library, with `sluicectl`, and with the recipe
    /// for other languages.
    @Suite struct Rebuilding {
        @Test func `sluicectl and the recipe in Python rebuild the signed text`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "all", "--accounts", "60"])
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
            // Records as printed by `kcat -J`.
            func lines(_ records: [(key: String, payload: [UInt8]?)]) throws -> String {
                try records.map { record in
                    let payload: Any = record.payload.map { String(decoding: $0, as: UTF8.self) } ?? NSNull()
                    let line: [String: Any] = ["key": record.key, "payload": payload]
                    return String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self) + "\n"
                }.joined()
            }
            let known = headers.map { ($0.rawValue, Optional($1)) }
            let certificates = try harness.write(try lines(known + [("gone", nil)]), to: "certificates.jsonl")
            // Other possible records of a topic: a tombstone, a notification of version 1, and junk.
            let others: [[UInt8]?] = [
                nil, Array(#"{"notification":{"notificationType":"TEST"},"legacy":{}}"#.utf8), Array("torn".utf8),
                Array("{".utf8),
            ]
            let values = try harness.write(
                try lines((others + records.map(\.value)).map { ("", $0) }), to: "records.jsonl")
            let recipe = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
                .appending(path: "../../../deploy/rebuild.py").standardized.path
            let run = try await harness.run(["sh", "-c", "'\(python)' '\(recipe)' '\(certificates)' < '\(values)'"])
            #expect(run.end == .exit(0), "\(run)")
            #expect(run.output.split(separator: "\n").map(String.init).sorted() == signed)
            #expect(run.errors.split(separator: "\n").count == 3, "\(run)")
            // Without the certificates nothing can be rebuilt, and each record is reported.
            let none = try harness.write("", to: "none.jsonl")
            let blind = try await harness.run(["sh", "-c", "'\(python)' '\(recipe)' '\(none)' < '\(values)'"])
            #expect(blind.end == .exit(1) && blind.output.isEmpty)
            #expect(blind.errors.split(separator: "\n").count == 3 + records.count)
        }
    }
}

import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// Offset changes by operators with Kafka's own tools, a lost disk and lost records.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)")) struct ConsumerOffsetsOnApacheKafka {
        @Test func `every way of resetting offsets leads to the same state`() async throws {
            try await Harness.open { harness in
                var scene = try await Scene(harness, TestScale.choose(short: 200, long: 2000), periods: 3)
                let middle = try await scene.writtenBetween()
                let before = try await scene.stopAndDump()
                let back = [
                    (name: "to earliest", options: ["--to-earliest"]),
                    (name: "by time", options: ["--to-datetime", middle]),
                    (name: "back", options: ["--shift-by", "-50"]),
                ]
                let on = [(name: "on", options: ["--shift-by", "50"]), (name: "to latest", options: ["--to-latest"])]
                let ways = TestScale.choose(short: back, long: back + on)
                var figures = FaultReport("offsets set back while the group is stopped, Apache Kafka")
                for round in 0..<TestScale.choose(short: 1, long: 4) {
                    for way in ways {
                        try await scene.reset(way.options)
                        let again = try await scene.lag()
                        #expect((again > 0) == back.contains { $0.name == way.name }, "\(way.name)")
                        try await scene.start()
                        #expect(try await scene.handled() == again, "\(way.name)")
                        #expect(try await scene.stopAndDump() == before, "\(way.name)")
                        if round == 0 { figures.add("records again \(way.name)", Int(again)) }
                    }
                }
                try await rebuild(&scene, before, harness)
                figures.add("rounds", TestScale.choose(short: 1, long: 4))
                figures.add("purchases", before.facts.count)
                try figures.publish()
            }
        }

        @Test func `a lost database is restored from its topic`() async throws {
            try await Harness.open { harness in
                let count = TestScale.choose(short: 300, long: 100_000)
                var scene = try await Scene(harness, count, periods: 1)
                let before = try await scene.stopAndDump()
                #expect(before.facts.count == count)
                try FileManager.default.removeItem(atPath: harness.path("entitlements"))
                let begun = ContinuousClock.now
                try await scene.start()
                let took = ContinuousClock.now - begun
                #expect(try await scene.handled() == 0)
                #expect(try await scene.stopAndDump() == before)
                #expect(took.keeps(.seconds(60)))

                var figures = FaultReport("database lost, Apache Kafka")
                figures.add("rows", count)
                figures.add("ready again after", took)
                try figures.publish()
            }
        }

        @Test func `a process exits with 66 when unread records were deleted, and skips nothing`() async throws {
            try await Harness.open { harness in
                var scene = try await Scene(harness, 100, periods: 1)
                _ = try await scene.stopAndDump()
                try await scene.broker.write(100..<300)
                #expect(try await scene.lag() == 200)
                try await scene.deleteRecords()
                let before = try await scene.committed()

                let refused = try harness.start(
                    Executable("sluice-entitlements", arguments: scene.arguments), under: [])
                #expect(try await refused.end(within: .seconds(60)) == .exit(66), "\(refused)")
                // The log line contains partition, offset and fix.
                let isLogged = refused.log.contains { line in
                    let text = "\(line.fields)"
                    return line.level == "error" && text.contains("records were deleted before they were read")
                        && text.contains("--reset-offsets")
                }
                #expect(isLogged, "\(refused)")
                #expect(try await scene.committed() == before)

                // Applies the fix from the log line.
                try await scene.reset(["--to-earliest"])
                try await scene.start()
                try await scene.broker.write(300..<310)
                try await scene.broker.waitForNoLag(scene.entitlements.process)
                #expect(try await scene.stopAndDump().facts.count >= 110)
            }
        }

        @Test(.enabled(if: ApacheKafka.isOurs, "\(ApacheKafka.faultAbsence)"))
        func `a broker restart delays a consumer but loses nothing`() async throws {
            try await Harness.open { harness in
                let scene = try await Scene(harness, 100, periods: 1)
                var written = 100
                var slowest = Duration.zero
                let times = TestScale.choose(short: 1, long: 10)
                for number in 0..<times {
                    try await scene.broker.remove(number % 2 == 0 ? .terminated : .killed)
                    try await scene.broker.bringBack()
                    let back = ContinuousClock.now
                    try await scene.broker.write(written..<written + 100)
                    written += 100
                    try await scene.broker.waitForNoLag(scene.entitlements.process, within: .seconds(60))
                    slowest = max(slowest, ContinuousClock.now - back)
                }
                #expect(try await scene.broker.deadLetters().isEmpty)
                let dump = try await scene.stopAndDump()
                #expect(dump.facts.count == written && dump.purchases.count == written)

                var figures = FaultReport("broker restarted under a consumer, Apache Kafka")
                figures.add("times", times)
                figures.add("records", written)
                figures.add("slowest until no lag", slowest)
                try figures.publish()
            }
        }
    }
}

extension EndToEnd.ConsumerOffsetsOnApacheKafka {
    private func rebuild(_ scene: inout Scene, _ before: Scene.Dump, _ harness: Harness) async throws {
        let options = scene.broker.arguments.dropLast(2) + ["--output", "json"]
        let asked = try await harness.run(
            Executable("sluicectl", arguments: ["entitlements", "rebuild"] + options), within: .seconds(60))
        #expect(asked.end != .exit(0))
        #expect(try await scene.lag() == 0)
        let rebuilt = try await harness.run(
            Executable("sluicectl", arguments: ["entitlements", "rebuild", "--yes"] + options), within: .seconds(60))
        #expect(rebuilt.end == .exit(0), "\(rebuilt)")
        let again = try await scene.lag()
        #expect(again == scene.written)
        try await scene.start()
        #expect(try await scene.handled() == again)
        #expect(try await scene.stopAndDump() == before)
    }
}

/// A consumer on Apache Kafka that is stopped and restarted.
private struct Scene {
    /// Returns the topic's last values and the responses of the read API.
    struct Dump: Equatable, CustomStringConvertible {
        var facts: [String: String]
        var purchases: [String: String]

        var description: String { "\(facts.count) rows, \(purchases.count) purchases" }
    }

    let broker: Broker
    let written: Int64
    private let harness: Harness
    private let times: [Date]
    private(set) var entitlements: Entitlements

    /// Writes the subscriptions and waits until they are handled.
    init(_ harness: Harness, _ subscriptions: Int, periods: Int) async throws {
        self.harness = harness
        broker = try await harness.apacheKafka()
        var times: [Date] = []
        for period in 0..<periods {
            times.append(Date())
            try await broker.write(0..<subscriptions, periods: period..<period + 1)
        }
        self.times = times
        written = Int64(subscriptions * periods)
        entitlements = try await harness.entitlements(on: broker)
        try await broker.waitForNoLag(entitlements.process, within: .seconds(300))
    }

    var arguments: [String] {
        broker.arguments + ["--data.dir", harness.path("entitlements"), "--http.port", "0", "--admin.port", "0"]
    }

    /// Returns a time between two records.
    func writtenBetween() async throws -> String {
        try #require(times.last).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            .replacingOccurrences(of: "Z", with: "")
    }

    func lag() async throws -> Int64 { try await broker.lag() }

    /// Starts the consumer and waits until it is ready and has handled everything.
    mutating func start() async throws {
        entitlements = try await harness.entitlements(on: broker)
        let client = HTTPClient()
        defer { client.close() }
        let isReady = await eventually(within: .seconds(120)) {
            await entitlements.isReady(client) || entitlements.process.ended != nil
        }
        try #require(isReady && entitlements.process.ended == nil, "\(entitlements.process)")
        try await broker.waitForNoLag(entitlements.process, within: .seconds(120))
    }

    /// Returns the number of records that the running process has finished.
    func handled() async throws -> Int64 {
        let client = HTTPClient()
        defer { client.close() }
        return Int64(try await entitlements.metric("sluice_consumer_records_total{", client))
    }

    func stopAndDump() async throws -> Dump {
        let client = HTTPClient()
        defer { client.close() }
        let purchases = try await entitlements.purchases(client, withHistory: written < 10_000)
        entitlements.process.signal(SIGTERM)
        #expect(try await entitlements.process.end(within: .seconds(40)) == .exit(0), "\(entitlements.process)")
        return Dump(facts: try await broker.facts(), purchases: purchases)
    }

    /// Sets the group's offsets as an operator would.
    func reset(_ options: [String]) async throws {
        let topics = [broker.notifications(.production), broker.notifications(.sandbox)]
        _ = try await broker.tool(
            "kafka-consumer-groups.sh",
            ["--group", Broker.group, "--reset-offsets", "--execute"]
                + topics.flatMap { ["--topic", $0.rawValue] } + options)
    }

    func committed() async throws -> [KafkaTopicPartition: KafkaOffset] {
        try await broker.withAdmin { admin in
            let partitions = try await admin.watermarks(of: broker.notifications(.production)).keys
            return try await admin.committedOffsets(
                of: KafkaConsumerGroup(rawValue: Broker.group), partitions: Array(partitions))
        }
    }

    /// Deletes all but the last record of each partition, as retention would.
    func deleteRecords() async throws {
        let ends = try await broker.withAdmin { try await $0.watermarks(of: broker.notifications(.production)) }
        let places = ends.map { place, watermarks in
            #"{"topic":"\#(place.topic)","partition":\#(place.partition.rawValue),"offset":\#(watermarks.high.rawValue - 1)}"#
        }
        let file = try harness.write(
            #"{"version":1,"partitions":[\#(places.joined(separator: ","))]}"#, to: "delete.json")
        _ = try await broker.tool("kafka-delete-records.sh", ["--offset-json-file", file])
    }
}

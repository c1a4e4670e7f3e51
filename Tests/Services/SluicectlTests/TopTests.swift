import AppStoreModel
import Foundation
import HTTPServer
import JSON
import Kafka
import KafkaDevBroker
import Primitives
import Records
import Synchronization
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl top` with the embedded broker, and listeners with pages written by the test.
@Suite(.timeLimit(.minutes(2))) struct TopTests {
    /// An admin listener. Each request for its metrics returns the next page; the last page is repeated.
    private final class Member: Sendable {
        private let server: HTTPServer

        /// - Parameters:
        ///   - problems: the body of `/readyz`, which then responds 503.
        ///   - ready: the body of `/readyz` without problems.
        init(_ pages: [String], problems: String = "", ready: String = "ready\n") throws {
            let box = Box((pages, problems, ready))
            server = HTTPServer(listeners: [
                Listener(
                    name: "admin", host: "127.0.0.1", port: 0, limits: .admin, admit: { _ in .noBody },
                    handle: { request, exchange in exchange.respond(box.answer(request.head.path)) })
            ])
            try server.start()
        }

        private final class Box: Sendable {
            private let state: Mutex<(pages: [String], problems: String, ready: String)>

            init(_ state: (pages: [String], problems: String, ready: String)) { self.state = Mutex(state) }

            func answer(_ path: String) -> HTTPResponse {
                state.withLock { state in
                    guard path == "/metrics" else {
                        return HTTPResponse(
                            status: state.problems.isEmpty ? 200 : 503, reason: "test",
                            body: Array((state.problems.isEmpty ? state.ready : state.problems).utf8))
                    }
                    let page = state.pages.first ?? ""
                    if state.pages.count > 1 { state.pages.removeFirst() }
                    return HTTPResponse(status: 200, reason: "test", body: Array(page.utf8))
                }
            }
        }

        var address: String { "127.0.0.1:\(server.port())" }
        func stop() async { await server.drain(within: .zero) }
    }

    /// Two seconds pass between two readings of the clock.
    private static func clock() -> @Sendable () -> UInt64 {
        let ticks = Ticks()
        return { ticks.next() }
    }

    private final class Ticks: Sendable {
        private let seconds = Mutex<UInt64>(0)

        func next() -> UInt64 {
            seconds.withLock { seconds in
                seconds += 2
                return seconds * 1_000_000_000
            }
        }
    }

    private func top(_ arguments: [String]) async -> (exitCode: Int32, printed: Printed) {
        await sluicectl(["top", "--once", "--interval", "200ms"] + arguments, monotonic: Self.clock())
    }

    private static let entitlements = [
        """
        sluice_entitlements_facts_stale 0
        sluice_consumer_records_total{topic="t",outcome="done"} 100
        sluice_consumer_records_total{topic="t",outcome="dead-lettered"} 4
        """,
        """
        sluice_build_info{version="9.8.7"} 1
        sluice_entitlements_facts_stale 1
        sluice_consumer_records_total{topic="t",outcome="done"} 180
        sluice_consumer_records_total{topic="t",outcome="dead-lettered"} 4
        sluice_consumer_assigned_partitions 12
        sluice_consumer_lag_records{topic="t",partition="0"} 30
        sluice_consumer_lag_records{topic="t",partition="1"} 12
        sluice_consumer_lag_seconds{topic="t",partition="0"} 2.5
        sluice_consumer_lag_seconds{topic="t",partition="1"} 61
        sluice_consumer_oldest_unfinished_seconds{topic="t",partition="1"} 7
        """,
    ]

    @Test func `a member is shown with its rates, its lag and its problems`() async throws {
        let broker = try DevBroker(topics: [:])
        let member = try Member(Self.entitlements, problems: "state: the state has not been read yet\n")
        let arguments = ["--kafka.bootstrap.servers", broker.bootstrapServers, "--members", member.address]
        let (code, printed) = await top(arguments + ["--output", "json"])
        #expect(code == 1)
        let object = try #require(try printed.objects.first)
        #expect(object["healthy"]?.bool == false)
        let json = try #require(object["members"]?.array?.first?.object)
        #expect(json["executable"] == "sluice-entitlements")
        #expect(json["version"] == "9.8.7")
        #expect(json["ready"]?.bool == false)
        #expect(json["problems"]?.array == ["state: the state has not been read yet"])
        #expect(json["conditions"]?.array == ["facts stale"])
        #expect(json["assignedPartitions"]?.integer == 12)
        #expect(json["lagRecords"]?.integer == 42)
        #expect(json["lagSeconds"]?.integer == 61)
        #expect(json["oldestUnfinishedSeconds"]?.integer == 7)
        // 80 records in two seconds.
        #expect(json["perSecond"]?.object?["done"]?.integer == 40)
        #expect(json["perSecond"]?.object?["dead-lettered"] == nil)
        await member.stop()
    }

    @Test func `a paused member is ready, and shown with the author and the reason`() async throws {
        let broker = try DevBroker(topics: [:])
        let line = "paused: group sluice-refunds paused by ann since 2026-11-27T09:00:00.000Z: wrong answers"
        let member = try Member(
            ["sluice_consumer_control_reading 0", "sluice_consumer_control_reading 0"], ready: "ready\n\(line)\n")
        let arguments = ["--kafka.bootstrap.servers", broker.bootstrapServers, "--members", member.address]
        let (code, printed) = await top(arguments + ["--output", "json"])
        #expect(code == 0)
        let json = try #require(try printed.objects.first?["members"]?.array?.first?.object)
        #expect(json["ready"]?.bool == true)
        #expect(json["notes"]?.array == [.string(line)])
        #expect(json["conditions"]?.array == ["pausing and resuming have no effect"])
        let text = await top(arguments).printed.output
        #expect(text.contains("  \(member.address): \(line)\n"))
        await member.stop()
    }

    @Test func `a member that does not respond is shown as gone, and the others are shown`() async throws {
        let broker = try DevBroker(topics: [:])
        let member = try Member(["sluice_ingress_ready 1"])
        let (code, printed) = await top([
            "--kafka.bootstrap.servers", broker.bootstrapServers, "--members", "127.0.0.1:1,\(member.address)",
        ])
        #expect(code == 1)
        #expect(printed.output.contains("1 of 2 members ready"))
        let lines = printed.output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("127.0.0.1:1") && $0.contains("gone") })
        #expect(lines.contains { $0.hasPrefix(member.address) && $0.contains("sluice-ingress") && $0.contains("yes") })
        await member.stop()
    }

    @Test func `a restarted member is shown with the rates of its own counters`() {
        var earlier = TopMember(url: "a")
        earlier.page = MetricsPage(Array("sluice_consumer_records_total{outcome=\"done\"} 1000".utf8))
        var member = TopMember(url: "a")
        member.page = MetricsPage(Array("sluice_consumer_records_total{outcome=\"done\"} 6".utf8))
        #expect(TopRates(member, since: earlier, seconds: 2).outcomes == ["done": 3])
        #expect(TopRates(member, since: nil, seconds: 2).outcomes.isEmpty)
        #expect(TopRates(member, since: earlier, seconds: 0).outcomes.isEmpty)
    }

    @Test func `a group is shown with its lag and the partition that is furthest behind`() async throws {
        let names = TopicNames(prefix: "top\(UUID().uuidString.lowercased().prefix(8))")
        let topic = names.notifications(.production)
        let broker = try DevBroker(topics: [topic: 3])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let producer = try KafkaProducer(kafka, topics: [topic]) { _ in }
        for (partition, count) in [(0, 2), (1, 5), (2, 1)] as [(KafkaPartition, Int)] {
            for _ in 0..<count {
                _ = try await producer.send(
                    KafkaProducerRecord(topic: topic, partition: partition, key: [1], value: [2]))
            }
        }
        let arguments = ["--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix", names.prefix]
        let (_, nothing) = await top(arguments)
        #expect(nothing.output.contains("no group that this user may describe has committed an offset"))
        try await KafkaAdmin(kafka).closing { admin in
            try await admin.alterOffsets(
                of: "sluice-entitlements",
                to: [
                    KafkaTopicPartition(topic: topic, partition: 0): 2,
                    KafkaTopicPartition(topic: topic, partition: 1): 1,
                ])
        }
        let (code, printed) = await top(arguments + ["--output", "json"])
        #expect(code == 0)
        let groups = try #require(try printed.objects.first?["groups"]?.array)
        let group = try #require(groups.first?.object)
        #expect(groups.count == 1)
        #expect(group["group"] == "sluice-entitlements" && group["topic"] == .string(topic.rawValue))
        #expect(group["lagRecords"]?.integer == 5)
        let (_, text) = await top(arguments)
        #expect(text.output.contains("partition 1: 4"))
        await producer.close(within: .seconds(5))
    }

    @Test func `denied topics are listed, and the installation is not healthy`() throws {
        var snapshot = TopSnapshot(at: nil, monotonic: 0)
        let group = TopGroup(group: "sluice-archive", topic: "a.notifications.production", state: nil, lags: [0: 7])
        snapshot.setGroups(.success(TopGroups(groups: [group], deniedTopics: ["a.quarantine", "a.refunds.sandbox"])))
        #expect(!snapshot.isHealthy && snapshot.groups == [group])
        let report = TopReport(snapshot: snapshot, earlier: nil)
        let text = report.text(columns: .max, rows: .max)
        #expect(text.contains("Kafka: access denied to a.quarantine, a.refunds.sandbox"))
        #expect(text.contains("sluice-archive"))
        #expect(report.json["healthy"] == false)
        #expect(report.json["kafkaFailure"] == "access denied to a.quarantine, a.refunds.sandbox")
    }

    @Test func `members are shown while no broker responds`() async throws {
        let member = try Member(["sluice_ingress_kafka_available 0\nsluice_ingress_ready 0"])
        let (code, printed) = await sluicectl(
            [
                "top", "--once", "--interval", "200ms", "--kafka.bootstrap.servers", "127.0.0.1:1", "--members",
                member.address,
            ], timeout: .milliseconds(300), monotonic: Self.clock())
        #expect(code == 1)
        #expect(printed.output.contains("Kafka unavailable, answering 503"))
        #expect(printed.output.contains("Kafka: "))
        await member.stop()
    }

    @Test func `a screen has no more lines and columns than the terminal`() {
        var snapshot = TopSnapshot(at: nil, monotonic: 0)
        for number in 0..<40 {
            var member = TopMember(url: "http://a-host-with-a-long-name.example.internal:\(9_000 + number)")
            member.problems = [String(repeating: "a long problem ", count: 20)]
            snapshot.members.append(member)
        }
        let lines = TopReport(snapshot: snapshot, earlier: nil).text(columns: 80, rows: 23).split(
            separator: "\n", omittingEmptySubsequences: false)
        // The last line ends with a newline.
        #expect(lines.count == 24)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[22] == "… 63 more lines; use --once to print them all")
    }

    @Test(arguments: ["ftp://127.0.0.1:9464", "a b"]) func `an invalid address is refused`(
        address: String
    ) async {
        let (code, printed) = await top(["--kafka.bootstrap.servers", "127.0.0.1:1", "--members", address])
        #expect(code == 64)
        #expect(printed.complaints.first?.contains("--members") == true)
    }

    @Test func `snapshots are printed until the operator interrupts`() async throws {
        let broker = try DevBroker(topics: [:])
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let printed = Printed()
        async let result = sluicectl(
            ["top", "--interval", "200ms", "--output", "json", "--kafka.bootstrap.servers", broker.bootstrapServers],
            interruption: stream, into: printed)
        #expect(await eventually { ((try? printed.objects.count) ?? 0) >= 2 })
        continuation.yield("SIGINT")
        #expect(await result.exitCode == 0)
    }
}

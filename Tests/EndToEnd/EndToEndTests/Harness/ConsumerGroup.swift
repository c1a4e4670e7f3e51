import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import Synchronization
import TestSupport
import Testing

/// A group of `sluice-entitlements` on its own topics. Each member has its own database.
final class ConsumerGroup: Sendable {
    /// The roles of a group's members.
    enum Form: String, Sendable, CaseIterable {
        /// Each member has the role `all`: it processes records and answers.
        case all
        /// Each member is a `worker` with one standby, and an additional `reader` answers.
        case workersAndReader

        /// The roles to test: one in a suite's short form, both in the long form.
        static var chosen: [Form] { TestScale.choose(short: [.all], long: allCases) }

        fileprivate var settings: [String] {
            self == .all ? [] : ["--state.role", "worker", "--state.standbys", "1"]
        }
    }

    static let partitions = 4

    let name: String
    let broker: Broker
    let harness: Harness
    let form: Form
    let client = HTTPClient(HTTPClient.Configuration(maximumInFlight: 64))
    private let processes = Mutex<[ChildProcess]>([])

    private init(_ harness: Harness, _ broker: Broker, _ form: Form) async throws {
        self.harness = harness
        self.broker = broker
        self.form = form
        // Killed members stay in the group for a while, so each test has its own group.
        name = Self.name(in: broker.topics)
        // The embedded broker already created its topics.
        guard !broker.isEmbedded else { return }
        let topics = broker.topics
        func needed(_ partitions: Int) -> [TopicSpecification] {
            topics.ingress(partitions: partitions)
                + topics.state(partitions: partitions)
                + topics.deadLetters(of: name, partitions: partitions)
        }
        let small = needed(1).filter { !$0.name.rawValue.contains(".production") } + [topics.controlTopic]
        try await broker.create(needed(Self.partitions).filter { $0.name.rawValue.contains(".production") } + small)
    }

    private static func name(in topics: TopicNames) -> String { topics.prefix + "-group" }

    /// Runs `body` with an empty group on three brokers of Apache Kafka, and a load that has not started.
    static func open(
        _ form: Form = .all, _ body: (ConsumerGroup, RecordLoad) async throws -> Void
    ) async throws {
        try await Harness.open { harness in
            let broker = try await harness.apacheKafka(try await .threeBrokers(), withTopics: false)
            try await run(ConsumerGroup(harness, broker, form), body)
        }
    }

    /// Runs `body` with a group on an embedded broker, which keeps 5 MiB per partition.
    static func openEmbedded(
        _ form: Form, _ body: (ConsumerGroup, RecordLoad) async throws -> Void
    ) async throws {
        try await Harness.open { harness in
            let broker = try await embeddedBroker(harness)
            try await run(ConsumerGroup(harness, broker, form), body)
        }
    }

    private static func run(
        _ group: ConsumerGroup, _ body: (ConsumerGroup, RecordLoad) async throws -> Void
    ) async throws {
        defer { group.client.close() }
        try await body(group, try RecordLoad(to: group.broker, perSecond: TestScale.choose(short: 50, long: 200)))
    }

    private static func embeddedBroker(_ harness: Harness) async throws -> Broker {
        try await harness.embeddedBroker(partitions: partitions, groups: [name(in: harness.topics)])
    }

    // MARK: Members

    /// Starts a member and waits until it listens. A restarted member keeps its database.
    ///
    /// - Parameter keepsPlace: whether it gets its partitions back if it restarts before its session ends.
    func member(_ member: String, keepsPlace: Bool = false, settings: [String] = []) async throws -> GroupMember {
        try await start(
            member, (keepsPlace ? ["--entitlements.group.instance.id", member] : []) + form.settings + settings,
            answers: form == .all)
    }

    /// Starts a member outside of the group that answers for all partitions, and waits until it has read them.
    func reader(_ name: String = "reader") async throws -> GroupMember {
        let reader = try await start(name, ["--state.role", "reader"], answers: true)
        try await wait(for: reader) { await $0.sum(of: "sluice_state_complete") == 1 }
        return reader
    }

    /// - Parameter answers: whether it serves the read API.
    private func start(_ member: String, _ settings: [String], answers: Bool) async throws -> GroupMember {
        let arguments =
            broker.arguments + [
                "--entitlements.group.id", name, "--data.dir", directory(of: member), "--http.port", "0",
                "--admin.port", "0",
                "--kafka.statistics.interval.ms", "1000",
            ] + settings
        let process = try harness.start(Executable("sluice-entitlements", arguments: arguments))
        processes.withLock { $0.append(process) }
        let ready = answers ? try await process.ready(listener: "entitlements", within: .seconds(60)) : nil
        var adminPort: UInt16?
        _ = await eventually(within: .seconds(20)) {
            adminPort = process.log.first { $0.message == "admin listener ready" }?.port
            return adminPort != nil || process.ended != nil
        }
        return GroupMember(
            name: member, process: process, url: try ready.map { "http://127.0.0.1:\(try #require($0.port))" },
            admin: "http://127.0.0.1:\(try #require(adminPort, "\(process)"))", client: client)
    }

    /// Returns the directory of a member's database.
    func directory(of member: String) -> String { harness.path(member) }

    /// Waits until each of these members has handled a record since its start.
    func waitUntilHandling(_ members: [GroupMember], within limit: Duration = .seconds(60)) async throws {
        for member in members {
            try await wait(for: member, within: limit) { await $0.sum(of: "sluice_consumer_records_total") ?? 0 > 0 }
        }
    }

    /// Waits for a member to reach a state. Polls only ten times a second, because each poll costs the member time.
    func wait(
        for member: GroupMember, within limit: Duration = .seconds(60), _ condition: (GroupMember) async -> Bool
    ) async throws {
        let isThere = await eventually(within: limit) {
            await pass(.milliseconds(100))
            return await condition(member)
        }
        try #require(isThere, "\(member.process)")
    }

    /// Returns the number of times the members have logged this.
    func count(logged message: String) -> Int {
        processes.withLock { $0 }.reduce(0) { $0 + $1.log.count { $0.message == message } }
    }

    /// Returns the errors logged by the members.
    var errors: [LogLine] { processes.withLock { $0 }.flatMap(\.log).filter { $0.level == "error" } }

    // MARK: Lag

    /// Waits until every record is handled, according to the members' own metrics.
    func waitUntilDone(_ members: [GroupMember], within limit: Duration = .seconds(60)) async throws {
        var left: Double?
        let isDone = await eventually(within: limit) {
            await pass(.milliseconds(100))
            left = await lag(members)
            return left == 0
        }
        try #require(isDone, "\(left.map { "\($0)" } ?? "partitions without a member"); \(members.map(\.process))")
    }

    /// Waits until everything is handled, according to the members' own metrics and `kafka-consumer-groups.sh`.
    ///
    /// - Returns: the duration of the wait.
    func waitUntilCaughtUp(_ members: [GroupMember], within limit: Duration = .seconds(60)) async throws -> Duration {
        let start = ContinuousClock.now
        try await waitUntilDone(members, within: limit)
        // The embedded broker does not support the tool's requests.
        guard !broker.isEmbedded else { return ContinuousClock.now - start }
        var rows: [LagRow] = []
        let isAgreed = await eventually(within: max(limit - (ContinuousClock.now - start), .seconds(5))) {
            rows = (try? await lagRows()) ?? []
            return rows.count == Self.partitions && rows.allSatisfy { $0.lag == 0 && $0.committed == $0.end }
        }
        try #require(isAgreed, "\(rows); \(members.map(\.process))")
        // Nothing was written meanwhile, so the two must still agree.
        let left = await lag(members)
        #expect(left == 0)
        return ContinuousClock.now - start
    }

    /// Returns the lag according to the members' own metrics; nil while a partition is unassigned.
    private func lag(_ members: [GroupMember]) async -> Double? {
        var assigned = 0
        var known = 0
        var lag = 0.0
        for member in members {
            guard let text = await member.metrics() else { return nil }
            assigned += Int(GroupMember.sum(of: "sluice_consumer_assigned_partitions", in: text))
            // A partition with an unknown end has no lag metric.
            let lags = GroupMember.values(of: "sluice_consumer_lag_records", in: text)
            known += lags.count
            lag += lags.reduce(0, +)
        }
        return assigned == assignedPartitions && known == assigned ? lag : nil
    }

    /// Number of partitions of all members together, in both environments; the sandbox has fewer.
    var assignedPartitions: Int { Self.partitions + (broker.isEmbedded ? Self.partitions : 1) }

    /// One partition of the notification topic, as reported by Kafka's tool; nil for unknown values.
    struct LagRow {
        let committed: Int?
        let end: Int?
        let lag: Int?
    }

    func lagRows() async throws -> [LagRow] {
        let output = try await broker.tool("kafka-consumer-groups.sh", ["--describe", "--group", name])
        return output.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ", omittingEmptySubsequences: true)
            guard columns.count >= 6, columns[1] == broker.notifications(.production).rawValue else { return nil }
            return LagRow(committed: Int(columns[3]), end: Int(columns[4]), lag: Int(columns[5]))
        }
    }

    // MARK: Comparison

    /// Returns the facts by key that one undisturbed member derives from the same notifications in other topics, each
    /// delivered once in signing order.
    func undisturbed() async throws -> [String: Data] {
        var records: [String: KafkaRecord] = [:]
        for record in try await broker.records(of: broker.notifications(.production)) {
            records[record.header("ce_id")?.text ?? ""] = record
        }
        let ordered = records.values.sorted {
            ($0.header("ce_time")?.text ?? "", $0.header("ce_id")?.text ?? "")
                < ($1.header("ce_time")?.text ?? "", $1.header("ce_id")?.text ?? "")
        }
        let (other, member) = try await undisturbed(
            ordered.map {
                KafkaProducerRecord(topic: $0.topic, key: $0.key, value: $0.value, headers: $0.headers)
            })
        defer { other.client.close() }
        try await member.leave()
        return try await StatePublications(of: other.broker).last.compactMapValues { $0?.facts }
    }

    /// Returns an undisturbed group of one member that has handled these notifications in other topics. The caller
    /// stops the member and closes the group's client.
    func undisturbed(
        _ records: [KafkaProducerRecord], settings: [String] = []
    ) async throws -> (group: ConsumerGroup, member: GroupMember) {
        let other = try await ConsumerGroup(harness, try await undisturbedBroker(), .all)
        try await other.write(records)
        let member = try await other.member("undisturbed", settings: settings)
        try await other.waitUntilDone([member], within: .seconds(120))
        return (other, member)
    }

    /// Removes this test's topics from the shared cluster.
    func removeTopics() async throws {
        let pattern = broker.topics.prefix.replacing(".", with: "\\.") + "\\..*"
        _ = try await broker.tool("kafka-topics.sh", ["--delete", "--topic", pattern])
    }

    /// Returns empty topics on the same cluster, or on a separate embedded broker.
    private func undisturbedBroker() async throws -> Broker {
        guard !broker.isEmbedded else { return try await Self.embeddedBroker(harness) }
        let topics = TopicNames(prefix: broker.topics.prefix + ".undisturbed")
        return Broker(bootstrapServers: broker.bootstrapServers, topics: topics, machinery: broker.machinery)
    }

    /// Writes in this order, with several records in flight.
    private func write(_ records: [KafkaProducerRecord]) async throws {
        let topic = broker.notifications(.production)
        let producer = try KafkaProducer(broker.configuration, topics: [topic])
        let failures = Mutex<[KafkaError]>([])
        let done = Mutex(0)
        var sent = 0
        for record in records {
            producer.send(
                KafkaProducerRecord(topic: topic, key: record.key, value: record.value, headers: record.headers),
                deadline: .seconds(20)
            ) { result in
                if case .failure(let error) = result { failures.withLock { $0.append(error) } }
                done.withLock { $0 += 1 }
            }
            sent += 1
            if sent % 2000 == 0 || sent == records.count {
                try await waitUntil(within: .seconds(30)) { done.withLock { $0 } == sent }
            }
        }
        await producer.close(within: .seconds(5))
        try #require(failures.withLock { $0 } == [])
    }
}

/// A running member.
struct GroupMember: Sendable {
    let name: String
    let process: ChildProcess
    /// URL of the read API; nil for a worker.
    let url: String?
    let admin: String
    let client: HTTPClient

    /// Kills the member with SIGKILL.
    func die() async throws {
        process.signal(SIGKILL)
        #expect(try await process.end(within: .seconds(5)) == .signal(SIGKILL))
    }

    /// Stops the member with SIGTERM, so that it leaves its group.
    func leave() async throws {
        process.signal(SIGTERM)
        #expect(try await process.end(within: .seconds(40)) == .exit(0), "\(process)")
    }

    /// Whether `/readyz` returns 200.
    var isReady: Bool {
        get async {
            let question = HTTPClientRequest(url: "\(admin)/readyz", timeout: .seconds(5))
            return (try? await client.send(question))?.status == 200
        }
    }

    /// Returns the member's metrics; `nil` while it does not respond.
    func metrics() async -> String? {
        let answer = try? await client.send(HTTPClientRequest(url: "\(admin)/metrics", timeout: .seconds(5)))
        return answer.flatMap { $0.status == 200 ? String(decoding: $0.body, as: UTF8.self) : nil }
    }

    /// Returns the sum of all series of a metric; `nil` while the member does not respond.
    func sum(of metric: String) async -> Double? { await metrics().map { Self.sum(of: metric, in: $0) } }

    /// Number of the member's partitions; 0 while it does not respond.
    var partitions: Int { get async { Int(await sum(of: "sluice_consumer_assigned_partitions") ?? 0) } }

    static func sum(of metric: String, in text: String) -> Double { values(of: metric, in: text).reduce(0, +) }

    static func values(of metric: String, in text: String) -> [Double] {
        text.split(separator: "\n").filter { $0.hasPrefix(metric + "{") || $0.hasPrefix(metric + " ") }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    }

    /// Returns the read API's history of a purchase; `nil` if the purchase is unknown.
    func history(_ originalTransactionId: String) async throws -> JSON.Object? {
        let question = HTTPClientRequest(
            url:
                "\(try #require(url, "a worker answers nothing"))/v1/history?originalTransactionId=\(originalTransactionId)&environment=Production",
            timeout: .seconds(20))
        var answer = try await client.send(question)
        // A member that has just started does not know the age of its input yet.
        _ = try await eventually {
            if answer.status == 503 { answer = try await client.send(question) }
            return answer.status != 503
        }
        guard answer.status != 404 else { return nil }
        try #require(answer.status == 200, "\(answer.status) \(process)")
        return JSON.object(answer.body)?.objects("purchases").first
    }
}

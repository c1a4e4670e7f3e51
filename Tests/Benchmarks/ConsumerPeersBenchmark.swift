internal import AppStoreModel
internal import AppStoreVerification
internal import Foundation
internal import Kafka
internal import Records

/// Compares `sluice-entitlements` with consumers that a team could run instead, on the same topic of Apache Kafka, in
/// alternating rounds.
struct ConsumerPeersBenchmark {
    let verified: [VerifiedNotification]
    /// The current time in milliseconds since 1970.
    let now: Int64
    let rounds: Int
    let isQuick: Bool
    /// The directory of the other consumers' programs.
    let sources: String
    /// The directory for downloaded packages and compiled programs, which is kept for the next run.
    let directory: String

    private struct Outcome {
        var cost: Double
        var perSecond: Double
        var peak: Double
    }

    func run(into report: inout BenchReport) async throws {
        report.section("consumers that a team could run instead of sluice-entitlements, on Apache Kafka")
        guard let script = KafkaCluster.script else {
            return report.skip("consumers", because: KafkaCluster.absence)
        }
        let consumers = [ConsumerPeer.sluice] + peers(into: &report)
        let purchases = isQuick ? 5_000 : 50_000
        for (name, backlog) in [
            ("renewals", try backlog(purchases * 4)), ("first", try backlog(purchases * 4, steps: 1)),
        ] {
            report.section("\(backlog.customers) purchases × \(backlog.stepCount), \(rounds) alternating rounds")
            do {
                let outcomes = try await outcomes(of: consumers, backlog, script)
                add(outcomes, of: consumers, name, into: &report)
            } catch {
                report.skip("consumers.\(name)", because: "\(error)")
            }
        }
    }

    private func outcomes(
        of consumers: [ConsumerPeer], _ backlog: NotificationBacklog, _ script: String
    ) async throws -> [String: [Outcome]] {
        var outcomes: [String: [Outcome]] = [:]
        for round in 0..<rounds {
            // Each consumer goes first in one of the rounds.
            let order = consumers.indices.map { consumers[($0 + round) % consumers.count] }
            for (consumer, outcome) in try await measure(order, backlog, script) {
                outcomes[consumer, default: []].append(outcome)
            }
        }
        return outcomes
    }

    private func peers(into report: inout BenchReport) -> [ConsumerPeer] {
        let home = ProcessInfo.processInfo.environment["KAFKA_HOME"] ?? ""
        let makers: [(String, (String) throws -> ConsumerPeer)] = [
            ("postgresql", { try .postgreSQL(sources: sources, directory: $0, kafkaHome: home) }),
            ("quix", { try .quix(sources: sources, directory: $0) }),
        ]
        return makers.compactMap { name, make in
            do {
                let own = directory + "/" + name
                try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
                return try make(own)
            } catch {
                report.skip("consumers.\(name)", because: "\(error)")
                return nil
            }
        }
    }

    private func backlog(_ count: Int, steps: Int = .max) throws -> NotificationBacklog {
        try NotificationBacklog(
            verified, topic: TopicNames().notifications(.production), count: count, order: .spread, steps: steps,
            at: now)
    }

    private func add(
        _ outcomes: [String: [Outcome]], of consumers: [ConsumerPeer], _ backlog: String, into report: inout BenchReport
    ) {
        let ours = outcomes[ConsumerPeer.sluice.name, default: []]
        for consumer in consumers {
            let name = "consumers.\(backlog).\(consumer.name)"
            let own = outcomes[consumer.name, default: []]
            let costs = own.map(\.cost)
            report.add(
                "\(name).cpu_us", Distribution(costs).median, "us CPU each, the start included",
                noise: Noise(of: costs))
            report.add(
                "\(name).per_second", Distribution(own.map(\.perSecond)).median,
                "records/s, broker on the same cores", digits: 0)
            report.add("\(name).memory_peak_mib", own.map(\.peak).max() ?? 0, "MiB resident")
        }
        for consumer in consumers.dropFirst() {
            let ratios = zip(ours, outcomes[consumer.name, default: []]).map { $0.cost / $1.cost }
            report.add(
                "consumers.\(backlog).\(consumer.name).ratio", Distribution(ratios).median, "of its CPU is ours",
                digits: 2, bar: consumer.bars[backlog].map { .atMost($0) }, noise: Noise(of: ratios))
        }
    }

    // MARK: one round

    private func measure(
        _ consumers: [ConsumerPeer], _ backlog: NotificationBacklog, _ script: String
    ) async throws -> [(String, Outcome)] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-bench-consumers-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cluster = try KafkaCluster(script: script, directory: folder.path + "/kafka")
        defer { try? cluster.stop() }
        let topics = TopicNames()
        try await cluster.create(
            topics.ingress() + topics.state() + topics.deadLetters(of: "sluice-entitlements") + [topics.controlTopic])
        for consumer in consumers where consumer.name != ConsumerPeer.sluice.name && !consumer.createsOutput {
            try await cluster.create([
                KafkaNewTopic(
                    topic: consumer.output, partitions: 12, replicationFactor: 1,
                    configuration: ["cleanup.policy": "compact"])
            ])
        }
        let feed = try BacklogFeed(backlog, bootstrapServers: cluster.bootstrapServers, isBounded: false)
        try await feed.fill()
        var outcomes: [(String, Outcome)] = []
        for consumer in consumers {
            let own = folder.path + "/" + consumer.name
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            let run = ConsumerPeer.Run(
                bootstrapServers: cluster.bootstrapServers, input: backlog.topic, group: consumer.group,
                output: consumer.output, directory: own)
            outcomes.append((consumer.name, try await measure(consumer, run, backlog)))
        }
        await feed.close()
        return outcomes
    }

    /// Runs a consumer until it has committed the backlog and is idle.
    private func measure(
        _ consumer: ConsumerPeer, _ run: ConsumerPeer.Run, _ backlog: NotificationBacklog
    ) async throws -> Outcome {
        let feed = try BacklogFeed(
            backlog, bootstrapServers: run.bootstrapServers, group: run.group, isBounded: false)
        let running = try consumer.start(run)
        defer { running.stop() }
        let begin = ProcessTree(roots: running.servers.map(\.pid)).cpu
        let seconds = try await feed.awaitCommits(of: backlog.count) { try running.consumer.check() }
        var spent = running.tree.cpu
        var quiet = 0
        while quiet < 6 {
            try await Task.sleep(for: .milliseconds(250))
            let now = running.tree.cpu
            quiet = now - spent < 0.03 ? quiet + 1 : 0
            spent = now
        }
        let published = try await feed.length(of: run.output)
        guard published >= backlog.customers else {
            throw BenchFailure("\(consumer.name) published \(published) rows of \(backlog.customers)")
        }
        let peak = running.tree.peakMemory
        await feed.close()
        return Outcome(
            cost: (spent - begin) * 1e6 / Double(backlog.count), perSecond: Double(backlog.count) / seconds, peak: peak)
    }
}

import AppStoreModel
import EntitlementRules
import Kafka
import Primitives
import Records
import Synchronization
import Telemetry
import Testing

@testable import Entitlements

/// A simulated input log. The test sets the state of its broker.
private final class FakeInputLog: InputLog {
    struct State {
        var ends: [Int64] = [0, 0]
        var committed: [Int64?] = [nil, nil]
        var timestamps: [Int: Int64] = [:]
        var isGone = false
        var asked = 0
    }

    let state = Mutex(State())

    private func current() throws -> State {
        let state = state.withLock { $0 }
        if state.isGone { throw KafkaError(.timedOut, "no broker answers") }
        return state
    }

    func ends(of topic: KafkaTopic) async throws -> [LogEnds] {
        try current().ends.map { LogEnds(low: 0, high: $0) }
    }

    func committedOffsets(of partitions: [KafkaTopicPartition]) async throws -> [KafkaTopicPartition: KafkaOffset] {
        let committed = try current().committed
        return Dictionary(
            uniqueKeysWithValues: partitions.compactMap { place in
                committed[Int(place.partition.rawValue)].map { (place, KafkaOffset(rawValue: $0)) }
            })
    }

    func timestamps(at offsets: [KafkaTopicPartition: KafkaOffset]) async throws -> [KafkaTopicPartition: Int64] {
        state.withLock { $0.asked += offsets.count }
        let timestamps = try current().timestamps
        return Dictionary(
            uniqueKeysWithValues: offsets.keys.compactMap { place in
                timestamps[Int(place.partition.rawValue)].map { (place, $0) }
            })
    }
}

@Suite final class InputFollowerTests: Sendable {
    private let log = FakeInputLog()
    private let freshness = InputFreshness(topics: TopicNames(), limit: 300_000)
    private let now = Mutex<Int64>(on(1))
    private let topic = TopicNames().input(.production)

    private func follower(
        handled: [Int: Int64] = [:], catchUp: @escaping @Sendable (KafkaTopic) async throws -> Void = { _ in }
    ) -> InputFollower {
        let moment = { @Sendable in self.now.withLock { $0 } }
        return InputFollower(
            topics: TopicNames(), log: log, freshness: freshness,
            handled: { handled[Int($0.partition.rawValue)].map { KafkaOffset(rawValue: $0) } }, catchUp: catchUp,
            clocks: Clocks(wallMilliseconds: moment, monotonicNanoseconds: { 0 }),
            frequent: RateLimitedLogger(
                Logger(label: "test", level: .info, format: .json, sink: MemoryLogSink()), perSecond: 1))
    }

    private func age() -> FactsAge? {
        freshness.age(of: [.production], at: AppStoreInstant(clampingMillisecondsSince1970: now.withLock { $0 }))
    }

    private func obstacle() -> String? {
        freshness.obstacle(at: AppStoreInstant(clampingMillisecondsSince1970: now.withLock { $0 }))
    }

    @Test func `an empty input of a new group is up to date`() async throws {
        #expect(age() == nil)
        #expect(obstacle()?.contains("not yet known") == true)
        try await follower().look(at: topic)
        #expect(age()?.asOf.millisecondsSince1970 == on(1))
        #expect(age()?.isStale == false)
    }

    @Test func `the age of the facts is the age of the first record that no worker has read`() async throws {
        log.state.withLock {
            $0.ends = [3, 0]; $0.timestamps = [0: on(1) - 400_000]
        }
        try await follower().look(at: topic)
        #expect(age()?.asOf.millisecondsSince1970 == on(1) - 400_000)
        #expect(age()?.isStale == true)
        #expect(log.state.withLock { $0.asked } == 1)
    }

    @Test func `a stuck partition makes the answers stale, and progress makes them fresh`() async throws {
        let follower = follower()
        log.state.withLock {
            $0.ends = [7, 4]; $0.committed = [7, 4]
        }
        try await follower.look(at: topic)
        freshness.read(.sandbox, until: on(2))
        log.state.withLock {
            $0.ends = [9, 6]; $0.committed = [7, 6]
        }
        now.withLock { $0 = on(1) + 300_000 }
        try await follower.look(at: topic)
        #expect(age()?.asOf.millisecondsSince1970 == on(1))
        #expect(age()?.isStale == false)
        #expect(obstacle() == nil)
        now.withLock { $0 += 1_000 }
        try await follower.look(at: topic)
        #expect(age()?.isStale == true)
        #expect(obstacle()?.contains("301 s old") == true)
        log.state.withLock { $0.committed = [9, 6] }
        try await follower.look(at: topic)
        #expect(
            age() == FactsAge(asOf: AppStoreInstant(clampingMillisecondsSince1970: on(1) + 301_000), isStale: false))
    }

    /// After an outage the group may have no assignment until the session of a lost member expires.
    @Test func `records handled by this member do not age the facts before their commit`() async throws {
        log.state.withLock {
            $0.ends = [7, 4]; $0.committed = [5, 4]; $0.timestamps = [0: on(1) - 400_000]
        }
        try await follower(handled: [0: 7, 1: 4]).look(at: topic)
        #expect(age() == FactsAge(asOf: AppStoreInstant(clampingMillisecondsSince1970: on(1)), isStale: false))
    }

    @Test(arguments: [[:], [0: 6], [1: 7], [0: 9]])
    func `records of another member age the facts until the group has committed them`(
        _ handled: [Int: Int64]
    ) async throws {
        log.state.withLock {
            $0.ends = [7, 4]; $0.committed = [5, 4]; $0.timestamps = [0: on(1) - 400_000]
        }
        try await follower(handled: handled).look(at: topic)
        #expect(age()?.asOf.millisecondsSince1970 == on(1) - 400_000)
        #expect(age()?.isStale == true)
    }

    @Test func `the facts age while no broker is reachable`() async throws {
        try await follower().look(at: topic)
        log.state.withLock { $0.isGone = true }
        now.withLock { $0 += 300_001 }
        await #expect(throws: KafkaError.self) { try await follower().look(at: topic) }
        #expect(age()?.asOf.millisecondsSince1970 == on(1))
        #expect(age()?.isStale == true)
    }

    @Test func `the group's progress is used only after this member has read the changelog`() async throws {
        struct NotThere: Error {}
        log.state.withLock {
            $0.ends = [7, 4]; $0.committed = [7, 4]
        }
        await #expect(throws: NotThere.self) { try await follower(catchUp: { _ in throw NotThere() }).look(at: topic) }
        #expect(age() == nil)
    }

    @Test func `with limit 0, facts of any age are served`() throws {
        let freshness = InputFreshness(topics: TopicNames(), limit: 0)
        let now = AppStoreInstant(clampingMillisecondsSince1970: on(9))
        #expect(freshness.age(of: [.production], at: now)?.isStale == false)
        #expect(freshness.obstacle(at: now) == nil)
        freshness.read(.production, until: on(1))
        #expect(freshness.age(of: [.production], at: now)?.isStale == false)
        #expect(freshness.age(of: [.production], at: now)?.asOf.millisecondsSince1970 == on(1))
    }

    @Test(arguments: [Int64(0), 300_000])
    func `the metric of the age is omitted while the age is unknown, with and without a limit`(limit: Int64) {
        let (freshness, registry) = (InputFreshness(topics: TopicNames(), limit: limit), MetricsRegistry())
        EntitlementsMetrics.collect(freshness, registry, now: { on(9) })
        func hasSample(_ sample: String) -> Bool {
            String(decoding: registry.prometheusText(), as: UTF8.self).contains("\n\(sample)")
        }
        #expect(!hasSample("sluice_entitlements_facts_age_seconds{"))
        #expect(hasSample(#"sluice_entitlements_facts_stale{environment="production"} \#(limit > 0 ? 1 : 0)"#))
        freshness.read(.production, until: on(8))
        #expect(hasSample(#"sluice_entitlements_facts_age_seconds{environment="production"} 86400"#))
        #expect(!hasSample(#"sluice_entitlements_facts_age_seconds{environment="sandbox"}"#))
    }

    @Test func `the age of each purchase depends on its own partition`() throws {
        let freshness = InputFreshness(topics: TopicNames(), limit: 300_000)
        let purchases = try (1...20).map { try lifeOfOne(purchase: "\($0)")[0].facts() }
        #expect(freshness.receivedUntil(purchases) == .earliest)
        freshness.update(topic, partitions: 2) { index, reading in
            reading.observe(end: 0, next: 0, at: on(Double(index + 1)))
        }
        #expect(Set(purchases.map { freshness.receivedUntil([$0]).millisecondsSince1970 }) == [on(1), on(2)])
        #expect(freshness.receivedUntil(purchases).millisecondsSince1970 == on(1))
    }
}

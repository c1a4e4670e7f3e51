import AppStoreModel
import AppStoreServerAPI
import Kafka
import KeyedState
import Primitives
import Records
import RefundRules
import Synchronization
import Telemetry
import TestSupport

@testable import Refunds

/// Plays stories in virtual time with the real schedule, work, decisions, cases and keyed state. Only Kafka, Apple's
/// API and the company's service are simulated in memory. While a round waits, due work is checked once per minute.
final class StoryPlayer {
    private static let topic: KafkaTopic = "appstore.refunds.production"
    private static let scope = APIScope(BundleId(app), in: .production)
    private static let app = "com.example.app"
    /// 2026-11-23T12:00:00Z.
    private static let epoch: Int64 = 1_795_435_200_000

    private let state: LocalState<RefundsModel>
    private let metrics: RefundsMetrics
    private let log: RateLimitedLogger
    private var number = 0

    init(in directory: TemporaryDirectory) throws {
        var model = RefundsModel()
        model.environments = [Self.topic: .production]
        state = try LocalState(path: directory.file("stories"), model: model, topics: [Self.topic])
        metrics = RefundsMetrics(MetricsRegistry(), rules: [], now: { 0 })
        log = RateLimitedLogger(
            Logger(label: "stories", level: .error, format: .json, sink: DiscardingSink()), perSecond: 1)
    }

    func play(_ story: RefundStory) async throws -> [RefundTrace] {
        number += 1
        let world = World(story, transactionId: "\(number)")
        let store = StoryStore(state: state, topic: Self.topic, world: world)
        var work = makeWork(world, store)
        var schedule = RefundSchedule(concurrency: 1, fallbackMargin: RefundStory.hour)
        var arrivals = try self.arrivals(story, world.transactionId)
        world.now = story.start
        while world.now <= story.end {
            while let next = arrivals.last, next.at <= world.now {
                arrivals.removeLast()
                try state.merge([next.part(world.clock + Self.epoch)], in: Self.topic, at: 0)
            }
            let isBusy = try await look(&schedule, work, store, world)
            if world.hasDied {
                world.restart()
                work = makeWork(world, store)
                schedule = RefundSchedule(concurrency: 1, fallbackMargin: RefundStory.hour)
            }
            let next = arrivals.last?.at ?? story.end + 1
            let isWaiting = try RefundRounds(store.refund()).waiting != nil
            world.now = isBusy ? world.now + 100 : min(next, isWaiting ? world.now + RefundStory.minute : next)
        }
        return world.trace
    }

    /// - Returns: whether an action was taken.
    private func look(
        _ schedule: inout RefundSchedule, _ work: RefundWork, _ store: StoryStore, _ world: World
    ) async throws -> Bool {
        let refund = try store.refund()
        guard let round = RefundRounds(refund).waiting else { return false }
        let model = RefundsModel()
        let proposal = try state.proposal(of: model.key(of: refund), in: Self.topic)?.value
        let winner = proposal.flatMap {
            model.round(of: $0, in: refund) == round.openedAt.millisecondsSince1970 ? $0 : nil
        }
        let key = RefundSchedule.CaseKey(environment: .production, key: model.key(of: refund))
        schedule.beginLook()
        let steps = schedule.plan(
            [
                RefundSchedule.Candidate(
                    key: key, scope: Self.scope, deadline: (round.deadline ?? round.openedAt).millisecondsSince1970,
                    until: round.isTooLate ? 0 : round.answerableUntil?.millisecondsSince1970 ?? 0,
                    isFrozen: winner != nil)
            ], at: world.clock + Self.epoch)
        for step in steps {
            switch step {
            case .decide(_, let isOver, let attempts):
                let (result, health) = await work.decide(refund, round, isOver: isOver)
                schedule.decided(key, result, health, attempts: attempts, at: world.clock + Self.epoch)
            case .send(_, let attempts, let isLast):
                guard let winner else { continue }
                let (result, health) = await work.send(
                    refund, round, winner: winner, attempts: attempts, isLast: isLast)
                schedule.sent(key, Self.scope, result, health, attempts: attempts, at: world.clock + Self.epoch)
            }
        }
        return !steps.isEmpty
    }

    private func makeWork(_ world: World, _ store: StoryStore) -> RefundWork {
        let story = world.story
        let text = """
            {"default":"decline","consumption":{"customerConsented":\(story.fileConsents),"deliveryStatus":"DELIVERED",\
            "sampleContentProvided":false}}
            """
        let rules = (try? RefundRules(json: Array(text.utf8), name: "rules")) ?? .none
        let clocks = Clocks(
            wallMilliseconds: { world.clock + Self.epoch }, monotonicNanoseconds: { UInt64(world.now) * 1_000_000 })
        let decisions = RefundDecisions(
            rules: rules, apps: [BundleId(Self.app)],
            provider: story.service(at: 0) == .absent ? nil : StoryProvider(world: world),
            fallback: story.fallsBack ? .rules : .withhold, fallbackMargin: RefundStory.hour,
            api: StoryAPI(world: world), store: store, metrics: metrics, log: log)
        return RefundWork(
            mode: .answer, store: store, decisions: decisions, api: StoryAPI(world: world), clocks: clocks,
            metrics: metrics, log: log, pause: {})
    }

    // MARK: Arrivals

    private struct Arrival {
        let at: Int64
        /// Returns the content of the record, given our clock when it is read.
        let part: (Int64) throws -> RefundCase
    }

    /// Returns the records that our consumer reads, in reverse order.
    private func arrivals(_ story: RefundStory, _ id: String) throws -> [Arrival] {
        let requests = story.requests.map { request in
            Arrival(at: request.arrives) { now in
                try StoryRecord(story, id).refund(
                    .consumptionRequest, uuid: request.uuid, signed: request.signed + Self.epoch,
                    received: request.received + Self.epoch, now: now)
            }
        }
        let verdicts = story.verdicts.map { verdict in
            Arrival(at: verdict.arrives) { now in
                let type: NotificationType =
                    switch verdict.decision {
                    case .refund, .seats: .refund
                    case .declined: .refundDeclined
                    case .reversed: .refundReversed
                    }
                return try StoryRecord(story, id).refund(
                    type, uuid: "v\(verdict.signed)", signed: verdict.signed + Self.epoch,
                    received: verdict.arrives + Self.epoch, now: now, isOfSeats: verdict.decision == .seats)
            }
        }
        return (requests + verdicts).sorted { $0.at > $1.at }
    }

    /// Converts an instant to the story's time.
    static func moment(_ instant: AppStoreInstant) -> Int64 { instant.millisecondsSince1970 - epoch }
}

private struct DiscardingSink: LogSink {
    func write(_ line: [UInt8]) {}
    func flush(within limit: Duration) -> Bool { true }
    var droppedLines: Int { 0 }
}

/// The story, its current time, and the trace.
final class World: Sendable {
    private struct Guarded {
        var now: Int64 = 0
        var process = 1
        var hasDied = false
        var trace: [RefundTrace] = []
        var random: SeededGenerator
    }

    let story: RefundStory
    let transactionId: String
    private let guarded: Mutex<Guarded>

    init(_ story: RefundStory, transactionId: String) {
        self.story = story
        self.transactionId = transactionId
        guarded = Mutex(Guarded(random: SeededGenerator(seed: UInt64(transactionId) ?? 0)))
    }

    var now: Int64 {
        get { guarded.withLock { $0.now } }
        set { guarded.withLock { $0.now = newValue } }
    }
    var trace: [RefundTrace] { guarded.withLock { $0.trace } }
    var hasDied: Bool { guarded.withLock { $0.hasDied } }

    /// The clock of the current process.
    var clock: Int64 {
        guarded.withLock { $0.now + story.clockErrors[$0.process % story.clockErrors.count] }
    }

    func record(_ event: RefundTrace) { guarded.withLock { $0.trace.append(event) } }

    /// Decides whether the process dies now.
    func dies() -> Bool {
        guarded.withLock { guarded in
            guard Int.random(in: 0..<100, using: &guarded.random) < story.deathsAfterAcceptance else { return false }
            guarded.hasDied = true
            guarded.trace.append(.died(at: guarded.now))
            return true
        }
    }

    func restart() {
        guarded.withLock {
            $0.hasDied = false
            $0.process += 1
        }
    }
}

/// Apple's endpoint, as defined by the story.
private struct StoryAPI: RefundAPI {
    let world: World

    func send(_ body: [UInt8], form: Int32, for refund: RefundCase, isLast: Bool) async throws(APIError) {
        let now = world.now
        let word = world.story.api(at: now)
        world.record(
            .put(
                at: now, body: String(decoding: body, as: UTF8.self), isAccepted: word == .accepts,
                isRefused: word == .refusesBody))
        switch word {
        case .accepts:
            guard world.dies() else { return }
            throw APIError(kind: .cancelled, message: "the process died", isRetriable: true)
        case .fails: throw APIError(kind: .server, status: 500, message: "500", isRetriable: true)
        case .notFound:
            throw APIError(
                kind: .refused, status: 404, code: .transactionIdNotFound, message: "404", isRetriable: false)
        case .refusesBody:
            throw APIError(
                kind: .refused, status: 400, code: APIErrorCode(4_000_036), message: "400", isRetriable: false)
        case .rateLimits(let until):
            throw APIError(
                kind: .rateLimited, status: 429, message: "429", isRetriable: true,
                retryAt: until + world.clock - now + StoryRecord.epoch)
        }
    }

    func transaction(of refund: RefundCase) async throws(APIError) -> TransactionPayload {
        throw APIError(kind: .noKey, message: "not asked in stories", isRetriable: false)
    }
}

/// The company's service, as defined by the story.
private struct StoryProvider: RefundProvider {
    let world: World

    func consumption(of facts: RefundFacts) async throws(ProviderError) -> ConsumptionFacts {
        let word = world.story.service(at: world.now)
        world.record(.asked(at: world.now, word))
        var answer = ConsumptionFacts()
        switch word {
        case .yes(let percentage):
            answer.customerConsented = true
            answer.consumptionPercentage = Int64(percentage)
        case .no: answer.customerConsented = false
        case .doNotAnswer:
            answer.customerConsented = true
            answer.outcome = .doNotAnswer
        case .silent, .absent: throw ProviderError(code: .timedOut, message: "silent")
        case .refuses: throw ProviderError(code: .refused, status: 422, message: "422")
        case .unreadable: throw ProviderError(code: .malformed, status: 200, message: "malformed")
        }
        return answer
    }
}

/// Cases in a keyed state without brokers, with preferences as defined by the story.
private struct StoryStore: RefundStore {
    let state: LocalState<RefundsModel>
    let topic: KafkaTopic
    let world: World

    private var identity: RefundCase {
        RefundCase(
            environment: .production, bundleId: BundleId("com.example.app"),
            transactionId: TransactionId(world.transactionId))
    }

    func refund() throws -> RefundCase { try state.state(of: RefundsModel().key(of: identity), in: topic) ?? identity }

    func propose(_ answer: FrozenAnswer, for refund: RefundCase) async throws -> Bool {
        try state.propose(answer.json, for: identity, in: topic, at: 0)?.value == answer.json
    }

    func record(_ contribution: RefundCase) async throws {
        for part in contribution.acceptances.all {
            world.record(.accepted(at: world.now, through: StoryPlayer.moment(part.through)))
        }
        for part in contribution.ends.all {
            world.record(
                .ended(
                    at: world.now, through: StoryPlayer.moment(part.through), kind: part.kind.rawValue,
                    clock: world.clock))
        }
        try state.merge([contribution], in: topic, at: 0)
    }

    func consentRescindedAt(_ refund: RefundCase) async throws -> AppStoreInstant? {
        world.story.rescindedAt.flatMap { moment in
            moment <= world.now
                ? AppStoreInstant(clampingMillisecondsSince1970: moment + StoryRecord.epoch) : nil
        }
    }

    func history(of refund: RefundCase) async throws -> CustomerHistory? { nil }

    func preference(of refund: RefundCase) async throws -> RefundPreference? {
        var preference = RefundPreference()
        guard let last = world.story.recorded.last(where: { $0.at <= world.now }) else { return nil }
        preference.since = AppStoreInstant(clampingMillisecondsSince1970: last.at + StoryRecord.epoch)
        switch last.value {
        case .nothing: return nil
        case .consent: preference.consent = true
        case .withdrawal: preference.isWithdrawn = true
        }
        return preference
    }
}

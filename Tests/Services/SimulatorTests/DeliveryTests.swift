import AppStoreModel
import Synchronization
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(5))) struct `Deliveries` {
    /// A server that sends prepared responses and records the request times.
    final class Server: Sendable {
        let clock = SkippingClock()
        private let log = Mutex<[(body: String, at: Duration)]>([])
        private let answer: @Sendable (_ body: String, _ earlier: Int) -> PostOutcome

        init(answer: @escaping @Sendable (_ body: String, _ earlier: Int) -> PostOutcome) {
            self.answer = answer
        }

        var posts: [(body: String, at: Duration)] { log.withLock { $0 } }

        func post(_ body: [UInt8]) -> PostOutcome {
            let text = String(decoding: body, as: UTF8.self)
            let earlier = log.withLock { log in
                log.append((text, clock.now.offset))
                return log.count { $0.body == text } - 1
            }
            return answer(text, earlier)
        }
    }

    func delivery(
        to server: Server, count: Int, environment: AppStoreEnvironment = .production, timeScale: Int = 1,
        connections: Int = 4, rate: Double? = nil, duplicates: Percentage = .zero
    ) throws -> Delivery<SkippingClock> {
        Delivery(
            plan: PostingPlan(series: try makeSeries(), count: count, duplicates: duplicates),
            schedules: [.v2: RetrySchedule(environment: environment, timeScale: timeScale)], connections: connections,
            rate: rate, clock: server.clock,
            sign: { post in
                SignedNotification(
                    notificationType: .test, subtype: nil, notificationUUID: NotificationUUID("\(post.run)"),
                    originalTransactionId: nil, transactionId: nil, key: "",
                    body: Array("\(post.run)/\(post.step)".utf8))
            }, post: { server.post($0) })
    }

    func run(_ delivery: Delivery<SkippingClock>) async throws -> (DeliverySummary, [Attempt]) {
        let (interrupts, _) = AsyncStream.makeStream(of: String.self)
        var attempts: [Attempt] = []
        let summary = try await delivery.run(interrupts: interrupts, onAttempt: { attempts.append($0) })
        return (summary, attempts)
    }

    @Test func `undelivered notifications are reported and not posted`() async throws {
        let server = Server { _, _ in .status(200) }
        var delivery = try delivery(to: server, count: 200)
        delivery = Delivery(
            plan: PostingPlan(
                series: try makeSeries(), count: 200, undelivered: try #require(Percentage(text: "10%"))),
            schedules: delivery.schedules, connections: 4, rate: nil, clock: server.clock, sign: delivery.sign,
            post: delivery.post)
        let (interrupts, _) = AsyncStream.makeStream(of: String.self)
        var lost: Set<String> = []
        let summary = try await delivery.run(
            interrupts: interrupts, onUndelivered: { lost.insert(String(decoding: $0.body, as: UTF8.self)) })
        #expect(lost.count == 20 && summary.undelivered == 20 && summary.isComplete)
        #expect(server.posts.count == 180 && lost.isDisjoint(with: server.posts.map(\.body)))
    }

    @Test func `production retries 1, 12, 24, 48 and 72 hours after the previous attempt`() async throws {
        let server = Server { _, _ in .status(503) }
        let (summary, attempts) = try await run(delivery(to: server, count: 1))
        #expect(server.posts.map(\.at) == [0, 1, 13, 37, 85, 157].map { .hours($0) })
        #expect(attempts.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(summary.gaveUp == 1 && summary.retried == 5 && summary.attempts == 6 && !summary.isComplete)
    }

    @Test func `the time scale divides the hours`() async throws {
        let server = Server { _, _ in .failed("timedOut") }
        _ = try await run(delivery(to: server, count: 1, timeScale: 3600))
        #expect(server.posts.map(\.at) == [0, 1, 13, 37, 85, 157].map { .seconds($0) })
    }

    @Test func `the sandbox tries once`() async throws {
        let server = Server { _, _ in .status(500) }
        let (summary, _) = try await run(delivery(to: server, count: 3, environment: .sandbox))
        #expect(summary.attempts == 3 && summary.gaveUp == 3 && summary.attemptsByOutcome == ["500": 3])
    }

    @Test(arguments: [(199, false), (200, true), (206, true), (207, false), (301, false), (400, false), (503, false)])
    func `only statuses 200 to 206 acknowledge a post`(status: Int, isAcknowledged: Bool) async throws {
        let server = Server { _, _ in .status(status) }
        let (summary, _) = try await run(delivery(to: server, count: 1))
        #expect(summary.isComplete == isAcknowledged)
        #expect(summary.attempts == (isAcknowledged ? 1 : 6))
    }

    @Test func `every post is acknowledged after the server recovers`() async throws {
        let server = Server { _, earlier in earlier < 2 ? .status(503) : .status(200) }
        let (summary, attempts) = try await run(delivery(to: server, count: 200))
        #expect(summary.isComplete && summary.acknowledged == 200 && summary.retried == 400)
        #expect(summary.attemptsByOutcome == ["503": 400, "200": 200])
        let acknowledged = attempts.filter(\.outcome.isAcknowledged)
        #expect(Set(acknowledged.map { "\($0.post.run)/\($0.post.step)" }).count == 200)
    }

    @Test func `posts start at the rate and in the order of the plan`() async throws {
        let server = Server { _, _ in .status(200) }
        let delivery = try delivery(to: server, count: 100, connections: 1, rate: 10)
        _ = try await run(delivery)
        #expect(server.posts.map(\.at) == (0..<100).map { .seconds(Double($0) / 10) })
        #expect(server.posts.map(\.body) == delivery.plan.map { "\($0.run)/\($0.step)" })
    }

    @Test func `duplicates are posted and counted`() async throws {
        let server = Server { _, _ in .status(200) }
        let percent = try #require(Percentage(text: "15%"))
        let (summary, _) = try await run(delivery(to: server, count: 200, duplicates: percent))
        #expect(summary.posts == 230 && summary.duplicates == 30 && summary.isComplete)
        #expect(summary.latency != nil)
    }

    @Test func `an interrupt drops waiting posts and reports them`() async throws {
        let (interrupts, continuation) = AsyncStream.makeStream(of: String.self)
        // The interrupt arrives while an attempt is in flight and all attempts fail.
        let server = Server { _, _ in
            continuation.yield("SIGTERM")
            return .status(503)
        }
        let delivery = try delivery(to: server, count: 5000, connections: 1, rate: 1)
        let summary = try await delivery.run(interrupts: interrupts)
        #expect(summary.isInterrupted && !summary.isComplete)
        #expect(summary.posts < 5000)
        #expect(summary.abandoned + summary.gaveUp + summary.acknowledged == summary.posts)
    }

    @Test func `a failing signer ends the delivery`() async throws {
        struct Refused: Error {}
        let delivery = Delivery(
            plan: PostingPlan(series: try makeSeries(), count: 10),
            schedules: [.v2: RetrySchedule(environment: .sandbox)],
            connections: 1, rate: nil, clock: SkippingClock(), sign: { _ in throw Refused() },
            post: { _ in .status(200) })
        let (interrupts, _) = AsyncStream.makeStream(of: String.self)
        await #expect(throws: Refused.self) { try await delivery.run(interrupts: interrupts) }
    }

    @Test func `the number of concurrent posts is limited by the connections`() {
        var queue = DeliveryQueue<SkippingClock.Instant>(
            schedules: [.v2: RetrySchedule(environment: .production)], connections: 2, rate: nil)
        let now = SkippingClock.Instant(offset: .zero)
        let notification = SignedNotification(
            notificationType: .test, subtype: nil, notificationUUID: NotificationUUID("1"),
            originalTransactionId: nil, transactionId: nil, key: "", body: [])
        for run in 0..<3 { queue.add(PlannedPost(run: run, step: 0), notification) }
        queue.completeFresh()
        guard case .wait(nil) = queue.next(at: now) else {
            Issue.record("posted before the beginning")
            return
        }
        queue.begin(at: now)
        guard case .post(let first) = queue.next(at: now), case .post = queue.next(at: now),
            case .wait(nil) = queue.next(at: now)
        else {
            Issue.record("not exactly two")
            return
        }
        #expect(queue.finish(first, .status(200), at: now) == .acknowledged)
        guard case .post(let third) = queue.next(at: now) else {
            Issue.record("not the third")
            return
        }
        #expect(third.post.run == 2)
    }

    @Test func `the report line names the notification and the answer`() {
        let attempt = Attempt(
            post: PlannedPost(run: 0, step: 1, isDuplicate: true), notificationType: .expired, subtype: .voluntary,
            notificationUUID: NotificationUUID("5b1d"), originalTransactionId: OriginalTransactionId("42"),
            key: "com.example.app/42", number: 2, outcome: .status(200), latency: .milliseconds(12))
        #expect(
            attempt.reportLine == """
                {"notificationUUID":"5b1d","notificationType":"EXPIRED","subtype":"VOLUNTARY",\
                "originalTransactionId":"42","key":"com.example.app/42","attempt":2,"duplicate":true,"status":200,\
                "milliseconds":12}
                """)
    }
}

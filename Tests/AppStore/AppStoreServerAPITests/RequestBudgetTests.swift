import AppStoreModel
import Primitives
import Synchronization
import Testing

@testable import AppStoreServerAPI

/// Scheduling of requests within Apple's limits per second. All callers of an app, an environment and an endpoint share
/// a limit.
@Suite struct RequestBudgetTests {
    private static let second: UInt64 = 1_000_000_000
    private static let app = BundleId("com.example.app")

    /// Returns the maximum number of times within any second.
    private static func most(of moments: [UInt64]) -> Int {
        var first = 0
        var most = 0
        for (index, moment) in moments.enumerated() {
            while moment - moments[first] >= second { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    @Test func `5000 requests at 50 per second never exceed 50 in any second and take 100 seconds`() throws {
        var budget = RequestBudget(perSecond: 50, backgroundShare: 0.5, now: 0)
        let moments: [UInt64] = (0..<5000).compactMap { _ in
            if case .at(let moment) = budget.take(.urgent, now: 0, longestWait: .max) { moment } else { nil }
        }
        #expect(moments.count == 5000)
        #expect(moments == moments.sorted())
        #expect(Self.most(of: moments) == 50)
        let last = try #require(moments.last)
        #expect((99 * Self.second...101 * Self.second).contains(last))
    }

    @Test func `callers at random times never exceed the limit`() {
        var budget = RequestBudget(perSecond: 50, backgroundShare: 0.5, now: 0)
        var moments: [UInt64] = []
        var now: UInt64 = 0
        for step in 0..<5000 as Range<UInt64> {
            // Bursts, and pauses of up to half a second. The budget must not catch up after a pause.
            now += (step * 7919) % 97 == 0 ? Self.second / 2 : (step * 104_729) % 13_000_000
            if case .at(let moment) = budget.take(.urgent, now: now, longestWait: .max) { moments.append(moment) }
        }
        #expect(moments.count == 5000)
        #expect(Self.most(of: moments) <= 50)
    }

    @Test func `background requests have a share and proceed only while no urgent request waits`() {
        var budget = RequestBudget(perSecond: 50, backgroundShare: 0.2, now: 0)
        var background: [UInt64] = []
        var now: UInt64 = 0
        while now < 10 * Self.second {
            switch budget.take(.background, now: now, longestWait: .max) {
            case .at(let moment):
                background.append(moment)
                now = moment + 1
            case .askAgain(let moment): now = moment
            case .tooFar: Issue.record("no turn may be too late")
            }
        }
        #expect((99...101).contains(background.count))
        #expect(Self.most(of: background) <= 10)
    }

    @Test func `an urgent request waits for at most one background request`() {
        var budget = RequestBudget(perSecond: 50, backgroundShare: 1, now: 0)
        #expect(budget.take(.background, now: 0, longestWait: .max) == .at(0))
        guard case .askAgain = budget.take(.background, now: 0, longestWait: .max),
            case .askAgain = budget.take(.background, now: 1, longestWait: .max),
            case .at(let moment) = budget.take(.urgent, now: 1, longestWait: .max)
        else {
            Issue.record("background requests must not reserve")
            return
        }
        #expect((Self.second / 50...Self.second / 50 + 1).contains(moment))
        // From now on, urgent requests use the whole budget.
        for _ in 0..<100 { _ = budget.take(.urgent, now: moment, longestWait: .max) }
        guard case .askAgain(let later) = budget.take(.background, now: moment, longestWait: .max) else {
            Issue.record("a background request preceded waiting urgent ones")
            return
        }
        #expect(later >= moment + 2 * Self.second)
    }

    @Test func `a request that is waiting when a 429 arrives waits until the stated time`() async throws {
        let time = VirtualTime()
        let scope = APIScope(Self.app, in: .production)
        let closing = Mutex<RequestBudgets?>(nil)
        let budgets = RequestBudgets(
            clocks: time.clocks,
            sleep: { duration in
                let first = closing.withLock { budgets in
                    defer { budgets = nil }
                    return budgets
                }
                _ = first?.close(.getTransactionInfo, scope, until: VirtualTime.start + 10_000)
                time.advance(by: duration)
            })
        try await budgets.waitForTurn(.getTransactionInfo, scope)
        closing.withLock { $0 = budgets }
        try await budgets.waitForTurn(.getTransactionInfo, scope)
        #expect(time.clocks.wallMilliseconds() >= VirtualTime.start + 10_000)
    }

    @Test func `a 429 closes the budget of its own endpoint only, until the stated time`() async throws {
        let time = VirtualTime()
        let budgets = RequestBudgets(clocks: time.clocks, sleep: time.sleep)
        let scope = APIScope(Self.app, in: .production)
        let begin = time.now
        let closed = budgets.close(.getTransactionInfo, scope, until: VirtualTime.start + 10_000)
        #expect(closed == VirtualTime.start + 10_000)
        try await budgets.waitForTurn(.getTransactionInfo, scope)
        #expect(time.now - begin >= 10 * Self.second)
        // Other budgets are not affected.
        let then = time.now
        try await budgets.waitForTurn(.sendConsumptionInformation, scope)
        try await budgets.waitForTurn(.getTransactionInfo, APIScope(Self.app, in: .sandbox))
        try await budgets.waitForTurn(.getTransactionInfo, APIScope(BundleId("com.example.two"), in: .production))
        #expect(time.now == then)
    }

    @Test func `the last attempt before a deadline ignores a closed budget but respects the limit`() async throws {
        let time = VirtualTime()
        let budgets = RequestBudgets(
            RequestBudgets.Limits(longestWait: .seconds(5)), clocks: time.clocks, sleep: time.sleep)
        let last = APIScope(Self.app, in: .production, priority: .last)
        _ = budgets.close(.sendConsumptionInformation, last, until: VirtualTime.start + 3_600_000)
        let begin = time.now
        for _ in 0..<51 { try await budgets.waitForTurn(.sendConsumptionInformation, last) }
        #expect((time.now - begin) / 1_000_000 == 1000)
        // The budget remains closed for other requests.
        await #expect(throws: APIError.self) {
            try await budgets.waitForTurn(.sendConsumptionInformation, APIScope(Self.app, in: .production))
        }
    }

    @Test func `a request with a turn after its deadline fails with that time and reserves nothing`() async throws {
        let time = VirtualTime()
        let budgets = RequestBudgets(
            RequestBudgets.Limits(longestWait: .seconds(5)), clocks: time.clocks, sleep: time.sleep)
        let scope = APIScope(Self.app, in: .production)
        _ = budgets.close(.getTransactionInfo, scope, until: VirtualTime.start + 60_000)
        for priority in [RequestPriority.urgent, .background] {
            var asked = scope
            asked.priority = priority
            do throws(APIError) {
                try await budgets.waitForTurn(.getTransactionInfo, asked)
                Issue.record("the turn was too early")
            } catch {
                #expect(error.kind == .rateLimited && error.isRetriable && error.status == nil)
                #expect(error.retryAt == VirtualTime.start + 60_000)
            }
        }
        time.advance(by: .seconds(60))
        try await budgets.waitForTurn(.getTransactionInfo, scope)
    }

    @Test func `without a stated time, the budget closes for longer after each 429, up to five minutes`() {
        var budget = RequestBudget(perSecond: 50, backgroundShare: 0.5, now: 0)
        let waits = (0..<11).map { _ in budget.close(until: nil, now: 0) / Self.second }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        budget.answered()
        #expect(budget.close(until: nil, now: 1000 * Self.second) == 1001 * Self.second)
    }

    @Test func `concurrent callers have separate turns`() async throws {
        let waits = Mutex<[Duration]>([])
        let time = VirtualTime()
        let budgets = RequestBudgets(
            clocks: time.clocks, sleep: { duration in waits.withLock { $0.append(duration) } })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    try await budgets.waitForTurn(.getTransactionInfo, APIScope(Self.app, in: .production))
                }
            }
            try await group.waitForAll()
        }
        let moments = waits.withLock { $0 }.map { UInt64($0.clampedNanoseconds) }.sorted()
        // The first request did not wait.
        #expect(moments.count == 499 && Set(moments).count == 499)
        #expect(Self.most(of: moments) == 50)
    }

    @Test func `the sandbox has a tenth of the limit`() async throws {
        let time = VirtualTime()
        let budgets = RequestBudgets(clocks: time.clocks, sleep: time.sleep)
        let begin = time.now
        for _ in 0..<51 {
            try await budgets.waitForTurn(.getTransactionInfo, APIScope(Self.app, in: .sandbox))
        }
        #expect((time.now - begin) / 1_000_000 == 10_000)
    }

    /// The limits of app-store.md 9.3.
    @Test(
        arguments: [
            (
                50,
                [
                    .getTransactionInfo, .getTransactionHistory, .getAllSubscriptionStatuses,
                    .sendConsumptionInformation,
                    .sendConsumptionInformationV1, .getNotificationHistory, .getAppTransactionInfo, .finishTransaction,
                ]
            ),
            (20, [.extendSubscriptionRenewalDate, .setAppAccountToken]), (10, [.lookUpOrderId, .getRefundHistory]),
            (
                1,
                [
                    .extendRenewalDatesForAllActiveSubscribers, .requestTestNotification, .getTestNotificationStatus,
                    .getStatusOfRenewalDateExtensions,
                ]
            ),
        ] as [(Int, [APIOperation])])
    func `each endpoint has the limit documented by Apple`(perSecond: Int, operations: [APIOperation]) {
        for operation in operations { #expect(EndpointGroup(operation).perSecond == perSecond, "\(operation)") }
    }

    @Test func `both versions of an endpoint share its limit`() {
        #expect(EndpointGroup(.sendConsumptionInformation) == EndpointGroup(.sendConsumptionInformationV1))
        #expect(Set(APIOperation.allCases.map { EndpointGroup($0) }).count == APIOperation.allCases.count - 1)
    }

    @Test func `a wait can be cancelled`() async throws {
        let time = VirtualTime()
        let budgets = RequestBudgets(clocks: time.clocks, sleep: { _ in throw CancellationError() })
        let scope = APIScope(Self.app, in: .production)
        try await budgets.waitForTurn(.lookUpOrderId, scope)
        do throws(APIError) {
            try await budgets.waitForTurn(.lookUpOrderId, scope)
            Issue.record("the wait was not cancelled")
        } catch {
            #expect(error.kind == .cancelled)
        }
    }
}

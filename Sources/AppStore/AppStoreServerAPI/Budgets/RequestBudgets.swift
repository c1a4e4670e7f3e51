internal import AppStoreModel
package import Primitives
internal import Synchronization

/// The request budgets for all apps, environments and endpoints, shared by all callers in this process.
///
/// Other processes with the same key have separate budgets. If the processes together exceed the limit, Apple responds
/// with 429, which closes the budget of the process that receives it.
package final class RequestBudgets: Sendable {
    package struct Limits: Sendable {
        /// The fraction of each endpoint's limit that is available to background requests, greater than 0 and at most
        /// 1.
        package var backgroundShare: Double
        /// The maximum wait until the budget permits a request. A request that would wait longer fails with kind
        /// `rateLimited` and a retry time.
        package var longestWait: Duration

        package init(backgroundShare: Double = 0.5, longestWait: Duration = .seconds(30)) {
            self.backgroundShare = backgroundShare
            self.longestWait = longestWait
        }
    }

    struct Key: Hashable {
        let bundleId: BundleId
        let environment: AppStoreEnvironment
        let group: EndpointGroup
    }

    private let limits: Limits
    private let clocks: Clocks
    private let sleep: @Sendable (Duration) async throws -> Void
    private let budgets = Mutex<[Key: RequestBudget]>([:])

    /// - Parameter sleep: waits for a duration; throws if the task is cancelled.
    package init(
        _ limits: Limits = Limits(), clocks: Clocks = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.limits = limits
        self.clocks = clocks
        self.sleep = sleep
    }

    /// Waits until a request may be sent.
    ///
    /// - Throws: ``APIError`` of kind `rateLimited`, with `retryAt`, if the wait would be too long, or of kind
    ///   `cancelled`.
    package func waitForTurn(_ operation: APIOperation, _ scope: APIScope) async throws(APIError) {
        let key = Key(operation, scope)
        let longestWait = UInt64(limits.longestWait.clampedNanoseconds)
        let begin = clocks.monotonicNanoseconds()
        while true {
            let now = clocks.monotonicNanoseconds()
            let waited = now - min(begin, now)
            let turn = withBudget(key) {
                $0.take(scope.priority, now: now, longestWait: longestWait - min(waited, longestWait))
            }
            switch turn {
            case .at(let moment):
                try await wait(until: moment, from: now)
                if scope.priority == .last { return }
                // If the budget was closed during the wait, the time slot is void and the loop reserves another one.
                if withBudget(key, { $0.isOpen(at: max(moment, clocks.monotonicNanoseconds())) }) { return }
            case .askAgain(let moment): try await wait(until: moment, from: now)
            case .tooFar(let moment): throw spent(operation, until: wallMilliseconds(of: moment, now: now))
            }
        }
    }

    /// Closes the budget after a 429 response. Requests to this endpoint then wait until the budget opens again, except
    /// those with priority `last`.
    ///
    /// - Parameter retryAt: Apple's retry time in milliseconds since 1970, or nil if there is none.
    /// - Returns: the time when the budget opens again, in milliseconds since 1970.
    package func close(_ operation: APIOperation, _ scope: APIScope, until retryAt: Int64?) -> Int64 {
        let now = clocks.monotonicNanoseconds()
        let wall = clocks.wallMilliseconds()
        let moment = retryAt.map { now + UInt64(min(max(0, $0.saturatingAdd(-wall)), RetryAfter.longest)) * 1_000_000 }
        return wallMilliseconds(of: withBudget(Key(operation, scope)) { $0.close(until: moment, now: now) }, now: now)
    }

    /// Records a response other than a 429.
    func answered(_ operation: APIOperation, _ scope: APIScope) {
        withBudget(Key(operation, scope)) { $0.answered() }
    }

    private func withBudget<Value: Sendable>(_ key: Key, _ body: (inout RequestBudget) -> Value) -> Value {
        let now = clocks.monotonicNanoseconds()
        return budgets.withLock { budgets in
            body(
                &budgets[
                    key,
                    default: RequestBudget(
                        perSecond: key.group.perSecond(in: key.environment), backgroundShare: limits.backgroundShare,
                        now: now)])
        }
    }

    private func wait(until moment: UInt64, from now: UInt64) async throws(APIError) {
        guard moment > now else { return }
        do {
            try await sleep(.nanoseconds(Int64(clamping: moment - now)))
        } catch {
            throw APIError(kind: .cancelled, message: "the wait for the rate limit was cancelled", isRetriable: true)
        }
    }

    private func wallMilliseconds(of moment: UInt64, now: UInt64) -> Int64 {
        clocks.wallMilliseconds().saturatingAdd(Int64(clamping: (moment - min(moment, now)) / 1_000_000))
    }

    private func spent(_ operation: APIOperation, until: Int64) -> APIError {
        APIError(
            kind: .rateLimited, message: "\(operation): the rate limit allows no request before the deadline",
            isRetriable: true,
            retryAt: until, fix: "nothing was sent; retry at the reported time")
    }
}

extension RequestBudgets.Key {
    init(_ operation: APIOperation, _ scope: APIScope) {
        self.init(bundleId: scope.bundleId, environment: scope.environment, group: EndpointGroup(operation))
    }
}

/// When the requests to one endpoint may go: evenly spaced, in the order they were asked for. A value without a clock.
///
/// Evenly and not in bursts, so that no second, wherever it begins, holds more than the limit. An urgent request takes the
/// next free moment at once and waits for it. A background request takes one only when it is free now, and not more often
/// than its share; so it never makes an urgent one wait longer than one interval.
struct RequestBudget: Sendable {
    enum Turn: Sendable, Equatable {
        /// The moment is taken: go then.
        case at(UInt64)
        /// Nothing is taken: ask again then.
        case askAgain(UInt64)
        /// Nothing is taken: the next free moment is further away than the caller waits.
        case tooFar(UInt64)
    }

    private let interval: UInt64
    private let backgroundInterval: UInt64
    /// The next moment that is not taken.
    private var nextFree: UInt64
    private var nextBackground: UInt64
    private var closedUntil: UInt64 = 0
    /// Answers 429 without a time, one after the other.
    private var refusals = 0

    private static let second: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - perSecond: more than 0.
    ///   - backgroundShare: of the limit, more than 0 and at most 1.
    ///   - now: nanoseconds of a monotonic clock, the same for all calls.
    init(perSecond: Double, backgroundShare: Double, now: UInt64) {
        interval = Self.interval(perSecond)
        backgroundInterval = Self.interval(perSecond * min(1, backgroundShare))
        nextFree = now
        nextBackground = now
    }

    /// Rounded up, so that a second never holds one more; a day for what is no rate.
    private static func interval(_ perSecond: Double) -> UInt64 {
        guard perSecond > 0, perSecond.isFinite else { return 86_400 * second }
        return UInt64(min(86_400, 1 / perSecond) * Double(second)) + 1
    }

    /// - Parameter longestWait: nanoseconds.
    mutating func take(_ priority: RequestPriority, now: UInt64, longestWait: UInt64) -> Turn {
        let free = max(nextFree, closedUntil, now)
        switch priority {
        case .urgent:
            guard free - now <= longestWait else { return .tooFar(free) }
            nextFree = free + interval
            return .at(free)
        case .last:
            let free = max(nextFree, now)
            guard free - now <= longestWait else { return .tooFar(free) }
            nextFree = free + interval
            return .at(free)
        case .background:
            let free = max(free, nextBackground)
            guard free == now else { return free - now <= longestWait ? .askAgain(free) : .tooFar(free) }
            nextFree = free + interval
            nextBackground = free + backgroundInterval
            return .at(free)
        }
    }

    /// Whether a moment that was taken is still good: an answer 429 may have closed the budget meanwhile.
    func isOpen(at moment: UInt64) -> Bool { moment >= closedUntil }

    /// A 429.
    ///
    /// - Parameter until: the moment that Apple named; nil for backoff: 1 s, doubled each time up to 5 min.
    /// - Returns: until when the budget is closed.
    mutating func close(until: UInt64?, now: UInt64) -> UInt64 {
        if let until {
            closedUntil = max(closedUntil, until)
        } else {
            let wait = min(300, 1 << UInt64(min(refusals, 9))) * Self.second
            refusals += 1
            closedUntil = max(closedUntil, now + wait)
        }
        return closedUntil
    }

    /// Any other answer.
    mutating func answered() { refusals = 0 }
}

/// Schedules requests to one endpoint at even intervals, in call order. Callers pass the current time.
///
/// Even spacing without bursts keeps the number of requests within the limit in every one-second interval. An urgent
/// request immediately reserves the next free time slot and waits for it. A background request takes a slot only if one
/// is free now and the background share allows it, so it delays an urgent request by at most one interval.
struct RequestBudget: Sendable {
    enum Turn: Sendable, Equatable {
        /// The slot is reserved. Send the request at this time.
        case at(UInt64)
        /// Nothing is reserved. Call again at this time.
        case askAgain(UInt64)
        /// Nothing is reserved because the next free slot is beyond the caller's maximum wait.
        case tooFar(UInt64)
    }

    private let interval: UInt64
    private let backgroundInterval: UInt64
    /// The time of the next free slot.
    private var nextFree: UInt64
    private var nextBackground: UInt64
    private var closedUntil: UInt64 = 0
    /// The number of consecutive 429 responses without a retry time.
    private var refusals = 0

    private static let second: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - perSecond: the number of requests per second, greater than 0.
    ///   - backgroundShare: the fraction of the limit available to background requests, greater than 0 and at most 1.
    ///   - now: the current time in nanoseconds, from the same monotonic clock in all calls.
    init(perSecond: Double, backgroundShare: Double, now: UInt64) {
        interval = Self.interval(perSecond)
        backgroundInterval = Self.interval(perSecond * min(1, backgroundShare))
        nextFree = now
        nextBackground = now
    }

    /// Returns the interval, rounded up so that no one-second window exceeds the limit, or one day for an invalid rate.
    private static func interval(_ perSecond: Double) -> UInt64 {
        guard perSecond > 0, perSecond.isFinite else { return 86_400 * second }
        return UInt64(min(86_400, 1 / perSecond) * Double(second)) + 1
    }

    /// Reserves a time slot for one request.
    /// - Parameter longestWait: the maximum wait in nanoseconds.
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

    /// Returns whether a reserved slot is still valid. A 429 response may have closed the budget in the meantime.
    func isOpen(at moment: UInt64) -> Bool { moment >= closedUntil }

    /// Closes the budget after a 429 response.
    ///
    /// - Parameter until: Apple's retry time, or nil for exponential backoff from 1 s to 5 min.
    /// - Returns: the time when the budget opens again.
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

    /// Resets the backoff after any response except a 429.
    mutating func answered() { refusals = 0 }
}

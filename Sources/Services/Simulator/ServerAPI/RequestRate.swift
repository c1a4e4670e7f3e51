/// The request rate of one endpoint.
struct RequestRate: Sendable {
    private static let second: UInt64 = 1_000_000_000

    /// The times of requests within the last second, oldest first.
    private var arrivals = RequestTimes()
    /// The times of requests admitted within the last window.
    private var admissions = RequestTimes()
    /// The number of requests so far, including refused ones.
    private(set) var requests = 0
    /// The number of requests beyond the limit.
    private(set) var refused = 0
    /// The maximum number of requests within any second, including refused ones.
    private(set) var busiestSecond = 0

    /// Counts a request.
    ///
    /// - Returns: `nil` if the request is admitted, otherwise the number of nanoseconds until another request would be
    ///   admitted.
    mutating func admit(_ limit: ServerAPILimit?, now: UInt64) -> UInt64? {
        requests += 1
        arrivals.drop(before: now, window: Self.second)
        arrivals.append(now)
        busiestSecond = max(busiestSecond, arrivals.count)
        guard let limit else { return nil }
        let window = UInt64(limit.window) * Self.second
        admissions.drop(before: now, window: window)
        if admissions.count >= limit.requests, let oldest = admissions.first {
            refused += 1
            return oldest + window - now
        }
        admissions.append(now)
        return nil
    }
}

/// Times in ascending order. The oldest ones are dropped.
private struct RequestTimes: Sendable {
    private var times: [UInt64] = []
    private var head = 0

    var count: Int { times.count - head }
    var first: UInt64? { head < times.count ? times[head] : nil }

    mutating func append(_ time: UInt64) { times.append(time) }

    /// Drops all times that are at least `window` before `now`.
    mutating func drop(before now: UInt64, window: UInt64) {
        while head < times.count, now >= window, times[head] <= now - window { head += 1 }
        if head >= 1024, head * 2 >= times.count {
            times.removeFirst(head)
            head = 0
        }
    }
}

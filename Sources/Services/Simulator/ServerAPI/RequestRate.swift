/// The requests of one endpoint over time.
struct RequestRate: Sendable {
    private static let second: UInt64 = 1_000_000_000

    /// Times of the requests of the last second, oldest first.
    private var arrivals = RequestTimes()
    /// Times of the requests admitted within the last window.
    private var admissions = RequestTimes()
    /// Requests so far, refused ones included.
    private(set) var requests = 0
    /// Those beyond the limit.
    private(set) var refused = 0
    /// The most requests that any second saw, wherever it begins; refused ones included.
    private(set) var busiestSecond = 0

    /// Counts a request.
    ///
    /// - Returns: in how many nanoseconds another one is admitted when this one is not; `nil` when it is.
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

/// Times in ascending order, of which the oldest are dropped.
private struct RequestTimes: Sendable {
    private var times: [UInt64] = []
    private var head = 0

    var count: Int { times.count - head }
    var first: UInt64? { head < times.count ? times[head] : nil }

    mutating func append(_ time: UInt64) { times.append(time) }

    /// Drops what is `window` or more before `now`.
    mutating func drop(before now: UInt64, window: UInt64) {
        while head < times.count, now >= window, times[head] <= now - window { head += 1 }
        if head >= 1024, head * 2 >= times.count {
            times.removeFirst(head)
            head = 0
        }
    }
}

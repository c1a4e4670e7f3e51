/// The position of a sweep: the pass, the window within the range, and the next page. Callers pass the current time.
///
/// A sweep reads the entire range twice: first the consumption requests, because they have a deadline, and then all
/// types. Each pass reads the range in windows, each with its own page sequence, so that a page token is needed only
/// within one window. If a token expires, the window is halved and read again.
package struct SweepProgress: Hashable, Sendable {
    /// The notifications or subscriptions that a pass reads.
    package enum Pass: Int64, Sendable, CaseIterable {
        /// Consumption requests or, in a status sweep, subscriptions that need an answer.
        case consumptionRequests
        /// All types or, in a status sweep, all other subscriptions.
        case all

        var next: Pass? { Pass(rawValue: rawValue + 1) }
    }

    /// The minimum length of a window, in milliseconds.
    package static let shortestWindow: Int64 = 60_000

    package let range: SweepRange
    package private(set) var pass: Pass
    package private(set) var window: SweepRange
    /// The token for the next page in the window, or nil for the first page. In a status sweep, the last purchase
    /// compared.
    package var pageToken: String?

    /// Creates the progress at the start of a sweep, or returns nil if the range is empty.
    ///
    /// - Parameter length: the length of a window, in milliseconds.
    package init?(over range: SweepRange, windows length: Int64) {
        guard range.from < range.to else { return nil }
        self.range = range
        pass = .consumptionRequests
        // The first pass reads a single type with few notifications, so its windows are larger.
        window = Self.window(from: range.from, in: range, length * 8)
    }

    init(range: SweepRange, pass: Pass, window: SweepRange, pageToken: String?) {
        self.range = range
        self.pass = pass
        self.window = window
        self.pageToken = pageToken
    }

    /// Advances to the next window or pass after the last page of a window.
    ///
    /// - Returns: false at the end of the sweep.
    package mutating func advance(windows length: Int64) -> Bool {
        pageToken = nil
        if window.to < range.to {
            window = Self.window(from: window.to, in: range, pass == .all ? length : length * 8)
            return true
        }
        guard let next = pass.next else { return false }
        pass = next
        window = Self.window(from: range.from, in: range, length)
        return true
    }

    /// Halves a window because its token expired or the window could not be read. Afterwards, the first half is read
    /// from its start, followed by the second half.
    ///
    /// - Returns: false if the window cannot be any shorter. In that case, the whole window is read again from its
    ///   start.
    package mutating func halve() -> Bool {
        pageToken = nil
        let length = window.to - window.from
        guard length > Self.shortestWindow else { return false }
        window.to = window.from + max(Self.shortestWindow, length / 2)
        return true
    }

    /// The completed share of the sweep, from 0 to 1, measured in time rather than in notifications.
    package var share: Double {
        let length = Double(max(1, range.to - range.from))
        let done = Double(window.from - range.from) / length
        return (Double(pass.rawValue) + min(1, max(0, done))) / Double(Pass.allCases.count)
    }

    private static func window(from start: Int64, in range: SweepRange, _ length: Int64) -> SweepRange {
        let (end, overflow) = start.addingReportingOverflow(max(shortestWindow, length))
        return SweepRange(from: start, to: overflow ? range.to : min(end, range.to))
    }
}

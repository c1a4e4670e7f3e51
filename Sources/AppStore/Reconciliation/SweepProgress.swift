/// The position of a sweep: its pass, the window of its range, and the next page. A value without a clock.
///
/// A sweep first reads the consumption requests of its whole range, because these have a deadline, then all types. Each
/// pass reads the range in windows with separate page sequences, so that a page token is needed only for the duration
/// of a window; a window with an expired token is halved and read again.
package struct SweepProgress: Hashable, Sendable {
    /// The subject of a pass.
    package enum Pass: Int64, Sendable, CaseIterable {
        /// Consumption requests; in a sweep of statuses, the subscriptions that need an answer.
        case consumptionRequests
        /// All types; in a sweep of statuses, all other subscriptions.
        case all

        var next: Pass? { Pass(rawValue: rawValue + 1) }
    }

    /// Minimum length of a window, in milliseconds.
    package static let shortestWindow: Int64 = 60_000

    package let range: SweepRange
    package private(set) var pass: Pass
    package private(set) var window: SweepRange
    /// Token of the next page in the window; nil for its first page. In a sweep of statuses, the last compared
    /// purchase.
    package var pageToken: String?

    /// Creates the start of a sweep; nil for an empty range.
    ///
    /// - Parameter length: length of a window, in milliseconds.
    package init?(over range: SweepRange, windows length: Int64) {
        guard range.from < range.to else { return nil }
        self.range = range
        pass = .consumptionRequests
        // One type has few notifications, so its windows are larger.
        window = Self.window(from: range.from, in: range, length * 8)
    }

    init(range: SweepRange, pass: Pass, window: SweepRange, pageToken: String?) {
        self.range = range
        self.pass = pass
        self.window = window
        self.pageToken = pageToken
    }

    /// Advances after the last page of the window.
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

    /// Halves a window after its token expired or it was unreadable: its first half is read from the start, then the
    /// other.
    ///
    /// - Returns: false if the window cannot be shorter; it is then read from its start.
    package mutating func halve() -> Bool {
        pageToken = nil
        let length = window.to - window.from
        guard length > Self.shortestWindow else { return false }
        window.to = window.from + max(Self.shortestWindow, length / 2)
        return true
    }

    /// Completed share of the sweep, from 0 to 1, by time instead of the number of notifications.
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

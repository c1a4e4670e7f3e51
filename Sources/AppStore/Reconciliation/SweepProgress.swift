/// Where a sweep is: in which pass, in which window of its range, before which page. A value without a clock.
///
/// A sweep asks for the consumption requests of its whole range first, because these have a deadline, then for all types.
/// Each pass goes through the range in windows, each a page set of its own, so that no page token is needed for longer
/// than a window takes; a window whose token expired is halved and read again.
package struct SweepProgress: Hashable, Sendable {
    /// What a pass asks for.
    package enum Pass: Int64, Sendable, CaseIterable {
        /// Of statuses the subscriptions that need the answer.
        case consumptionRequests
        /// Of statuses all others.
        case all

        var next: Pass? { Pass(rawValue: rawValue + 1) }
    }

    /// A window is not halved below this, in milliseconds.
    package static let shortestWindow: Int64 = 60_000

    package let range: SweepRange
    package private(set) var pass: Pass
    package private(set) var window: SweepRange
    /// Of the page that comes next in the window; nil for its first. Of statuses the purchase that was compared last.
    package var pageToken: String?

    /// The beginning of a sweep; nil for an empty range.
    ///
    /// - Parameter length: of a window, in milliseconds.
    package init?(over range: SweepRange, windows length: Int64) {
        guard range.from < range.to else { return nil }
        self.range = range
        pass = .consumptionRequests
        // Few are of one type, so it takes windows of another size.
        window = Self.window(from: range.from, in: range, length * 8)
    }

    init(range: SweepRange, pass: Pass, window: SweepRange, pageToken: String?) {
        self.range = range
        self.pass = pass
        self.window = window
        self.pageToken = pageToken
    }

    /// The window was read to its last page.
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

    /// Its token expired before its last page, or it cannot be read: its first half is read from the beginning, and then
    /// the other.
    ///
    /// - Returns: false for a window that cannot be shorter; it is read from the beginning.
    package mutating func halve() -> Bool {
        pageToken = nil
        let length = window.to - window.from
        guard length > Self.shortestWindow else { return false }
        window.to = window.from + max(Self.shortestWindow, length / 2)
        return true
    }

    /// The share of the sweep that is done, from 0 to 1, by time and not by number of notifications.
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

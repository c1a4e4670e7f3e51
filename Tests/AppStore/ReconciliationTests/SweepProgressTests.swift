import Testing

@testable import Reconciliation

@Suite struct SweepProgressTests {
    static let hour: Int64 = 3_600_000

    /// Returns the windows of each pass until its end.
    private func windows(_ range: SweepRange, length: Int64) -> [[SweepRange]] {
        var windows: [[SweepRange]] = [[], []]
        guard var progress = SweepProgress(over: range, windows: length) else { return windows }
        repeat { windows[Int(progress.pass.rawValue)].append(progress.window) } while progress.advance(windows: length)
        return windows
    }

    @Test func `the whole range is queried for consumption requests first, and then for everything`() {
        let range = SweepRange(from: 1_000, to: 1_000 + 48 * Self.hour)
        let passes = windows(range, length: 6 * Self.hour)
        for windows in passes {
            #expect(windows.first?.from == range.from)
            #expect(windows.last?.to == range.to)
            for (one, next) in zip(windows, windows.dropFirst()) { #expect(one.to == next.from) }
        }
        #expect(passes[0].count == 1)
        #expect(passes[1].count == 8)
    }

    @Test func `a range that is not a multiple of the window ends at its own end`() {
        let range = SweepRange(from: 0, to: 10 * Self.hour + 1)
        #expect(windows(range, length: 4 * Self.hour)[1].map(\.to) == [4 * Self.hour, 8 * Self.hour, range.to])
    }

    @Test func `an empty range has no sweep`() {
        #expect(SweepProgress(over: SweepRange(from: 5, to: 5), windows: 10) == nil)
        #expect(SweepProgress(over: SweepRange(from: 6, to: 5), windows: 10) == nil)
    }

    @Test func `a window with an expired token is halved without omitting any part`() throws {
        let range = SweepRange(from: 0, to: 8 * Self.hour)
        var progress = try #require(SweepProgress(over: range, windows: 8 * Self.hour))
        progress.pageToken = "token"
        let isShorter = progress.halve()
        #expect(isShorter)
        #expect(progress.pageToken == nil)
        #expect(progress.window == SweepRange(from: 0, to: 4 * Self.hour))
        let hasMore = progress.advance(windows: 4 * Self.hour)
        #expect(hasMore)
        #expect(progress.window.from == 4 * Self.hour)
    }

    @Test func `halving stops at a minute`() throws {
        var progress = try #require(SweepProgress(over: SweepRange(from: 0, to: Self.hour), windows: Self.hour))
        var count = 0
        while progress.halve() { count += 1 }
        #expect(count == 6)
        #expect(progress.window.to == SweepProgress.shortestWindow)
    }

    @Test func `the completed share grows until the end`() throws {
        var progress = try #require(
            SweepProgress(over: SweepRange(from: 0, to: 20 * Self.hour), windows: 2 * Self.hour))
        var shares = [progress.share]
        while progress.advance(windows: 2 * Self.hour) { shares.append(progress.share) }
        #expect(shares == shares.sorted())
        #expect(shares.first == 0)
        #expect(shares.allSatisfy { $0 < 1 })
    }

    @Test func `dates at the limits of the clock do not trap`() throws {
        var progress = try #require(
            SweepProgress(over: SweepRange(from: .max - 10, to: .max), windows: 1_000_000))
        #expect(progress.window.to == .max)
        let hasMore = progress.advance(windows: .max / 16)
        #expect(hasMore)
    }
}

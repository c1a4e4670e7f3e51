import Records
import Testing

@testable import Webhooks

/// Distinguishes a lost header segment from a late one.
@Suite struct HeaderWaitsTests {
    private let waits = HeaderWaits()
    private let first = HeaderReference(rawValue: "1")
    private let second = HeaderReference(rawValue: "2")

    private func step(_ header: HeaderReference, at second: UInt64) -> HeaderWaits.Step {
        waits.step(header, at: second * 1_000_000_000)
    }

    private func wasRead(since begin: UInt64?, at end: UInt64) {
        waits.wasRead(since: begin.map { $0 * 1_000_000_000 }, at: end * 1_000_000_000)
    }

    @Test func `a segment is lost when a complete reading started minutes later does not contain it`() {
        #expect(step(first, at: 0) == .wait)
        #expect(step(first, at: 299) == .wait)
        #expect(step(first, at: 300) == .read)
        // Only one reading runs at a time.
        #expect(step(first, at: 301) == .wait)
        wasRead(since: 300, at: 302)
        #expect(step(first, at: 302) == .lost)
        // Each header has a separate wait.
        #expect(step(second, at: 302) == .wait)
        #expect(step(second, at: 602) == .read)
    }

    @Test func `a failed reading proves nothing, and is repeated after a pause`() {
        #expect(step(first, at: 0) == .wait)
        #expect(step(first, at: 300) == .read)
        wasRead(since: nil, at: 330)
        #expect(step(first, at: 331) == .wait)
        #expect(step(first, at: 390) == .read)
        wasRead(since: 390, at: 391)
        #expect(step(first, at: 391) == .lost)
    }

    @Test func `the number of remembered waits is bounded`() {
        for number in 0..<HeaderWaits.maximumHeaders { _ = step(HeaderReference(rawValue: "\(number)"), at: 0) }
        #expect(step(HeaderReference(rawValue: "0"), at: 300) == .read)
        wasRead(since: 300, at: 301)
        #expect(step(HeaderReference(rawValue: "one more"), at: 301) == .wait)
        #expect(step(HeaderReference(rawValue: "0"), at: 301) == .wait)
    }

    @Test func `the wait for a segment ends on arrival, and restarts when it is missing again`() {
        #expect(step(first, at: 0) == .wait)
        waits.forget { $0 == first }
        #expect(step(first, at: 400) == .wait)
        #expect(step(first, at: 700) == .read)
    }
}

import Telemetry
import Testing
import Tracing

@Suite struct RecentTracesTests {
    private func context(_ span: String) throws -> TraceParent {
        try #require(TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-000000000000000\(span)-01"))
    }

    @Test func `the last change of a row is returned, and the oldest rows are evicted`() throws {
        let recent = RecentTraces(capacity: 2)
        recent.remember(try context("1"), forKey: [1])
        recent.remember(try context("2"), forKey: [1])
        recent.remember(try context("3"), forKey: [2])
        #expect(recent.context(ofKey: [1]) == (try context("2")))
        recent.remember(try context("4"), forKey: [3])
        #expect(recent.context(ofKey: [1]) == nil)
        #expect(recent.context(ofKey: [2]) == (try context("3")))
        #expect(recent.context(ofKey: [3]) == (try context("4")))
    }
}

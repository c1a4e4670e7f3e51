import Telemetry
import Testing

@testable import Tracing

@Suite struct TracerTests {
    private static let seed: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
    private let queue = SpanQueue()

    private func tracer(_ kind: Sampler.Kind, ratio: Double = 1) -> Tracer {
        Tracer(Sampler(kind, ratio: ratio), queue: queue, ids: SpanIds(seed: Self.seed), clock: { 1_000 })
    }

    private func parent(_ flags: String) throws -> TraceParent {
        try #require(TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"))
    }

    @Test func `ids follow the published generator xoshiro256 starstar`() {
        // The first outputs of the reference implementation (https://prng.di.unimi.it) for the seed 1, 2, 3, 4.
        let ids = SpanIds(seed: Self.seed)
        #expect((0..<2).map { _ in ids.nextId() } == [11_520, 1_509_978_240])
    }

    @Test func `a trace keeps its id and gets a new span in each process`() throws {
        let parent = try parent("01")
        let context = tracer(.parentAlwaysOff).context(of: parent)
        #expect(context.traceId == parent.traceId)
        #expect(context.parentId != parent.parentId)
        #expect(context.isSampled)
    }

    @Test func `an unrecorded trace has flags 00, so that other processes record nothing either`() throws {
        let context = tracer(.parentAlwaysOn).context(of: try parent("00"))
        #expect(context.text.hasSuffix("-00"))
        #expect(tracer(.parentAlwaysOn).start("work", .internal, parent: try parent("00")) == nil)
    }

    @Test func `new traces have the flag for random ids`() {
        #expect(tracer(.alwaysOn).context(of: nil).flags == 0b11)
        #expect(tracer(.alwaysOff).context(of: nil).flags == 0b10)
    }

    @Test func `a caller's undefined flags are not passed on`() throws {
        #expect(tracer(.alwaysOn).context(of: try parent("fc")).flags == 1)
    }

    @Test func `an untrusted caller can neither force nor prevent the recording`() throws {
        #expect(!tracer(.parentAlwaysOff).context(of: try parent("01"), isTrusted: false).isSampled)
        #expect(tracer(.parentAlwaysOn).context(of: try parent("00"), isTrusted: false).isSampled)
    }

    @Test func `an untrusted caller cannot force recording by choosing a trace id`() throws {
        let chosen = try #require(TraceParent.parse("00-00000000000000010000000000000000-00f067aa0ba902b7-01"))
        let tracer = tracer(.parentRatio, ratio: 0.01)
        let recorded = (0..<10_000).count { _ in tracer.context(of: chosen, isTrusted: false).isSampled }
        // The mean is 100 with a standard deviation of 10.
        #expect((50...150).contains(recorded))
    }

    @Test func `a span has its parent, its times and its attributes`() throws {
        let parent = try parent("01")
        let span = try #require(tracer(.parentAlwaysOn).start("receive", .server, parent: parent))
        span.recordChild("verify", .internal, nanoseconds: 400, [SpanAttribute(.verdict, "accepted")])
        span.end([SpanAttribute(.status, 503)], error: "deadline", at: 2_000)
        let spans = queue.take()
        #expect(spans.map(\.name) == ["verify", "receive"])
        let (child, root) = (try #require(spans.first), try #require(spans.last))
        #expect(root.parentId == 0x00f0_67aa_0ba9_02b7)
        #expect(child.parentId == root.context.spanId)
        #expect(child.context.traceId == parent.traceId)
        #expect((child.start, child.end, child.isError) == (600, 1_000, false))
        #expect((root.start, root.end, root.isError) == (1_000, 2_000, true))
        #expect(root.attributes == [SpanAttribute(.status, 503), SpanAttribute(.errorType, "deadline")])
    }

    @Test func `a span never ends before its start`() throws {
        let span = try #require(tracer(.alwaysOn).start("work", .internal, parent: nil))
        span.end(at: 1)
        #expect(queue.take().map(\.end) == [1_000])
    }
}

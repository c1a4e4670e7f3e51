import Kafka
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime
@testable import Tracing

private struct SinkDown: InfrastructureFault {}

/// Spans of handler calls, without a broker.
@Suite struct HandlerTracingTests {
    private let queue = SpanQueue()

    private func tracing(_ sampler: Sampler.Kind = .parentAlwaysOff) -> HandlerTracing {
        HandlerTracing(
            tracer: Tracer(Sampler(sampler), queue: queue), group: "group",
            telemetry: PipelineTelemetry(
                topics: ["input"], logger: Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink()),
                registry: MetricsRegistry()))
    }

    private func record(_ key: String, offset: KafkaOffset = 0, traceParent: String?) -> KafkaRecord {
        KafkaRecord(
            topic: "input", partition: 2, offset: offset, key: Array(key.utf8), value: nil,
            headers: traceParent.map { [KafkaHeader(key: "traceparent", text: $0)] } ?? [])
    }

    private static let recorded = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `a record in a recorded trace has a span that includes the handler's work`() async throws {
        let inner = Mutex<Span?>(nil)
        let verdict = try await tracing().call(record("a", offset: 5, traceParent: Self.recorded)) {
            inner.withLock { $0 = TraceScope.current?.span }
            return .done
        }
        #expect(verdict == .done)
        let span = try #require(queue.take().first)
        #expect(span.name == "process input" && span.kind == .consumer)
        #expect(span.context.traceId == "4bf92f3577b34da6a3ce929d0e0e4736" && span.parentId == 0x00f0_67aa_0ba9_02b7)
        #expect(inner.withLock { $0?.context } == span.context)
        #expect(span.attributes.contains(SpanAttribute(.offset, 5)))
        #expect(span.attributes.last == SpanAttribute(.verdict, "done"))
        #expect(TraceScope.current == nil)
    }

    @Test(arguments: [
        nil, "", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", "00-0-0-01", "\u{0}\n",
        String(repeating: "0", count: 10_000), recorded + "-x", recorded.uppercased(),
    ])
    func `other records have no span, regardless of their header`(header: String?) async throws {
        let verdict = try await tracing().call(record("a", traceParent: header)) {
            #expect(TraceScope.current == nil)
            return .skip(HandlerReason(code: "x"))
        }
        #expect(verdict == .skip(HandlerReason(code: "x")))
        #expect(queue.count == 0)
    }

    @Test func `the span of a failed attempt has the type of the error but not its text`() async throws {
        await #expect(throws: SinkDown.self) {
            try await tracing().call(record("a", traceParent: Self.recorded)) { throw SinkDown() }
        }
        let span = try #require(queue.take().first)
        #expect(span.isError && span.attributes.contains(SpanAttribute(.errorType, "SinkDown")))
    }

    @Test func `a call that a pause or the end of the assignment prevented has no span`() async throws {
        await #expect(throws: CancellationError.self) {
            try await tracing().call(record("a", traceParent: Self.recorded)) { throw CancellationError() }
        }
        #expect(queue.count == 0)
    }

    @Test func `only the records of a batch that belong to recorded traces have spans`() async throws {
        let records = [
            record("a", offset: 1, traceParent: nil), record("b", offset: 2, traceParent: Self.recorded),
            record("c", offset: 3, traceParent: nil),
        ]
        let seen = Mutex<[Bool]>([])
        let verdicts = try await tracing().call(records[...]) {
            let scope = TraceScope.current
            seen.withLock {
                $0 = [scope?.span != nil, scope?.span(forKey: Array("b".utf8)) != nil, scope?.span(forKey: [1]) != nil]
            }
            return [.done, .deadLetter(HandlerReason(code: "bad")), .done]
        }
        #expect(verdicts.count == 3)
        #expect(seen.withLock { $0 } == [false, true, false])
        let spans = queue.take()
        #expect(spans.count == 1)
        #expect(spans.first?.isError == true)
        #expect(spans.first?.attributes.contains(SpanAttribute(.batchSize, 3)) == true)
        #expect(spans.first?.attributes.contains(SpanAttribute(.reason, "bad")) == true)
    }
}

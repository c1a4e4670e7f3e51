internal import Kafka
internal import Telemetry
internal import Tracing

/// Spans for handler calls, one per attempt to handle a record in a recorded trace. Work within the call joins the
/// trace through its ``TraceScope``.
struct HandlerTracing: Sendable {
    private static let header = "traceparent"

    let tracer: Tracer
    let group: String
    let telemetry: PipelineTelemetry

    /// Calls a handler with one record.
    func call(_ record: KafkaRecord, _ body: () async throws -> HandlerVerdict) async throws -> HandlerVerdict {
        guard let span = start(record) else { return try await body() }
        let start = MonotonicClock.nanoseconds()
        do {
            let verdict = try await TraceScope.$current.withValue(TraceScope(span), operation: body)
            end(span, record, verdict, batch: 1)
            telemetry.exemplify(span, since: start)
            return verdict
        } catch {
            if error is GroupPaused || error is CancellationError { throw error }
            end(span, record, error, batch: 1)
            throw error
        }
    }

    /// Calls a handler with the records of a batch.
    func call(
        _ records: ArraySlice<KafkaRecord>, _ body: () async throws -> [HandlerVerdict]
    ) async throws -> [HandlerVerdict] {
        var spans: [(index: Int, record: KafkaRecord, span: Span)] = []
        var byKey: [[UInt8]: Span] = [:]
        for (index, record) in records.enumerated() {
            guard let span = start(record) else { continue }
            spans.append((index, record, span))
            byKey[record.key ?? []] = span
        }
        guard let first = spans.first else { return try await body() }
        let start = MonotonicClock.nanoseconds()
        let scope = TraceScope(byKey, isComplete: spans.count == records.count)
        do {
            let verdicts = try await TraceScope.$current.withValue(scope, operation: body)
            for (index, record, span) in spans where index < verdicts.count {
                end(span, record, verdicts[index], batch: records.count)
            }
            telemetry.exemplify(first.span, since: start)
            return verdicts
        } catch {
            if error is CancellationError { throw error }
            for (_, record, span) in spans { end(span, record, error, batch: records.count) }
            throw error
        }
    }

    private func start(_ record: KafkaRecord) -> Span? {
        let parent = record.header(Self.header)?.value.flatMap { TraceParent.parse(bytes: $0) }
        return tracer.start("process \(record.topic)", .consumer, parent: parent)
    }

    private func end(_ span: Span, _ record: KafkaRecord, _ verdict: HandlerVerdict, batch: Int) {
        let (name, reason): (String, String?) =
            switch verdict {
            case .done: ("done", nil)
            case .skip(let reason): ("skip", reason.code)
            case .retry: ("retry", nil)
            case .deadLetter(let reason): ("dead_letter", reason.code)
            }
        var attributes = SpanAttribute.processing(record, group: group, batch: batch)
        attributes.append(SpanAttribute(.verdict, name))
        if let reason { attributes.append(SpanAttribute(.reason, reason)) }
        span.end(attributes, error: name == "dead_letter" ? reason : nil)
    }

    /// Ends the span of a call that threw an error. The text of the error may contain data from the record, so only its
    /// type is recorded.
    private func end(_ span: Span, _ record: KafkaRecord, _ error: any Error, batch: Int) {
        span.end(
            SpanAttribute.processing(record, group: group, batch: batch) + [SpanAttribute(.verdict, "error")],
            error: "\(type(of: error))")
    }
}

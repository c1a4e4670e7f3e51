import Kafka
import KafkaDevBroker
import PipelineTestSupport
import Primitives
import Telemetry
import TestSupport
import Testing

@testable import KeyedState
@testable import Tracing

@Suite(.timeLimit(.minutes(2))) struct StatePublisherTests {
    private static let topic: KafkaTopic = "states"

    @Test func `a row continues the trace of the record that changed it, and other rows have no header`() async throws {
        let broker = try DevBroker()
        try broker.createTopic(Self.topic, partitions: 1)
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let publisher = try StatePublisher(
            kafka, topics: [Self.topic],
            logger: Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink()))
        let queue = SpanQueue()
        let tracer = Tracer(Sampler(.alwaysOn), queue: queue)
        let parent = try #require(tracer.start("process", .consumer, parent: nil))
        let key = Array("a".utf8)

        await TraceScope.$current.withValue(TraceScope([key: parent], isComplete: false)) {
            await send(key, with: publisher)
            await send(Array("b".utf8), with: publisher)
        }
        await send(key, with: publisher)
        let headers = try await kafka.records(of: [Self.topic], partitions: 1).map { record in
            record.header("traceparent")?.value.map { String(decoding: $0, as: UTF8.self) }
        }
        let spans = queue.take()
        let span = try #require(spans.first)
        #expect(spans.count == 1)
        #expect(headers == [span.context.text, nil, nil])
        #expect(span.name == "send states" && span.kind == .producer && span.parentId == parent.context.spanId)
        #expect(span.attributes.last == SpanAttribute(.offset, 0))
        // Later work on the row joins the trace.
        #expect(tracer.recent.context(ofKey: key) == span.context)
        await publisher.close(within: .seconds(5))
    }

    private func send(_ key: [UInt8], with publisher: StatePublisher) async {
        let acknowledged = Completion()
        publisher.send(KafkaProducerRecord(topic: Self.topic, key: key, value: [1])) { _ in acknowledged.complete() }
        await acknowledged.wait()
    }
}

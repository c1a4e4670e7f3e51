import KafkaModel
import Telemetry
import Testing

@testable import Tracing

@Suite struct SpanAttributeTests {
    @Test(arguments: [
        ("https://api.example.com/hook?key=secret", "api.example.com", 443), ("http://localhost", "localhost", 80),
        ("http://user:secret@crm:8080/in", "crm", 8080), ("https://[::1]:8443/", "[::1]", 8443),
        ("https://[2001:db8::1]", "[2001:db8::1]", 443),
    ])
    func `only the host and the port of a URL are recorded`(url: String, host: String, port: Int) {
        #expect(
            SpanAttribute.server(of: url) == [SpanAttribute(.serverAddress, host), SpanAttribute(.serverPort, port)])
    }

    @Test func `the key of a record, which contains identifiers, is not recorded`() {
        let record = KafkaRecord(
            topic: "appstore.notifications.production", partition: 3, offset: 41, key: Array("com.example/2000".utf8),
            value: nil)
        let attributes = SpanAttribute.processing(record, group: "sluice-webhooks", batch: 1)
        #expect(
            attributes.map { "\($0.key.rawValue)=\($0.value)" } == [
                #"messaging.system=text("kafka")"#, #"messaging.operation.name=text("process")"#,
                #"messaging.operation.type=text("process")"#,
                #"messaging.destination.name=text("appstore.notifications.production")"#,
                #"messaging.destination.partition.id=text("3")"#, "messaging.kafka.offset=integer(41)",
                #"messaging.consumer.group.name=text("sluice-webhooks")"#,
            ])
    }

    @Test func `a task for a batch uses the span of the row's own record, if it is recorded`() throws {
        let tracer = Tracer(Sampler(.alwaysOn), queue: SpanQueue())
        let span = try #require(tracer.start("process", .consumer, parent: nil))
        let some = TraceScope([[1]: span], isComplete: false)
        #expect(some.span == nil && some.span(forKey: [2]) == nil)
        #expect(some.span(forKey: [1])?.context == span.context)
        let only = TraceScope([[1]: span], isComplete: true)
        #expect(only.span?.context == span.context && only.span(forKey: [2])?.context == span.context)
    }
}

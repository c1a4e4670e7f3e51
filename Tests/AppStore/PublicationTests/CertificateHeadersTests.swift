import Cryptography
import Kafka
import Records
import Synchronization
import Testing

@testable import Publication

/// Known, pending and awaited header segments, without Kafka.
struct CertificateHeadersTests {
    /// Keeps sent records until they are acknowledged.
    private final class Topic: Sendable {
        typealias Sent = (record: KafkaProducerRecord, then: @Sendable (Result<Void, KafkaError>) -> Void)
        private let sent = Mutex<[Sent]>([])

        var headers: CertificateHeaders {
            CertificateHeaders(topic: "c") { record, then in self.sent.withLock { $0.append((record, then)) } }
        }

        var waiting: [[UInt8]?] { sent.withLock { $0.map(\.record.value) } }

        func answer(_ result: Result<Void, KafkaError>) {
            let first = sent.withLock { $0.removeFirst() }
            first.then(result)
        }
    }

    private final class Outcomes: Sendable {
        private let all = Mutex<[CertificateHeaders.Outcome]>([])
        var count: Int { all.withLock { $0.count } }
        var references: [[HeaderReference]?] { all.withLock { $0.map { try? $0.get() } } }
        func take(_ outcome: CertificateHeaders.Outcome) { all.withLock { $0.append(outcome) } }
    }

    private static func segment(_ text: String) -> ArraySlice<UInt8> { Array("-\(text)-".utf8)[1...text.utf8.count] }
    private static func reference(_ text: String) -> HeaderReference {
        HeaderReference(rawValue: SHA256.digest(of: Array(text.utf8)).hex)
    }
    private static let failure = KafkaError(.closed, "closed")

    @Test func `a segment is written once for all waiting records, and referenced after its acknowledgement`() {
        let topic = Topic()
        let headers = topic.headers
        let outcomes = Outcomes()
        let segments = [Self.segment("a"), Self.segment("b"), Self.segment("a")]
        #expect(headers.references(to: segments) == nil)
        headers.publish(segments) { outcomes.take($0) }
        headers.publish([Self.segment("b")]) { outcomes.take($0) }
        #expect(topic.waiting == [Array("a".utf8), Array("b".utf8)])
        topic.answer(.success(()))
        #expect(outcomes.count == 0)
        #expect(headers.references(to: segments) == nil)
        topic.answer(.success(()))
        let expected = ["a", "b", "a"].map(Self.reference)
        #expect(outcomes.references == [expected, [expected[1]]])
        #expect(headers.references(to: segments) == expected)
        headers.publish(segments) { outcomes.take($0) }
        #expect(outcomes.count == 3 && topic.waiting.isEmpty)
    }

    @Test func `a failure is reported once to every waiting record, and the next record writes again`() {
        let topic = Topic()
        let headers = topic.headers
        let outcomes = Outcomes()
        let segments = [Self.segment("a"), Self.segment("b")]
        headers.publish(segments) { outcomes.take($0) }
        headers.publish([Self.segment("a")]) { outcomes.take($0) }
        topic.answer(.failure(Self.failure))
        #expect(outcomes.references == [nil, nil])
        topic.answer(.success(()))
        #expect(outcomes.count == 2)
        headers.publish(segments) { outcomes.take($0) }
        #expect(topic.waiting == [Array("a".utf8)])
        topic.answer(.success(()))
        #expect(outcomes.references.last == segments.map { Self.reference(String(decoding: $0, as: UTF8.self)) })
    }

    @Test func `the number of remembered segments is limited`() {
        let topic = Topic()
        let headers = topic.headers
        for number in 0..<(CertificateHeaders.capacity + 1) {
            headers.publish([Self.segment("\(number)")]) { _ in }
            topic.answer(.success(()))
        }
        #expect(headers.references(to: [Self.segment("0")]) == nil)
        #expect(headers.references(to: [Self.segment("1")]) != nil)
        #expect(headers.references(to: [Self.segment("\(CertificateHeaders.capacity)")]) != nil)
    }

    @Test func `the least recently used segment is evicted`() {
        let topic = Topic()
        let headers = topic.headers
        for number in 0..<CertificateHeaders.capacity {
            headers.publish([Self.segment("\(number)")]) { _ in }
            topic.answer(.success(()))
        }
        #expect(headers.references(to: [Self.segment("0")]) != nil)
        headers.publish([Self.segment("new")]) { _ in }
        topic.answer(.success(()))
        #expect(headers.references(to: [Self.segment("1")]) == nil)
        for number in [0, 2, CertificateHeaders.capacity - 1] {
            #expect(headers.references(to: [Self.segment("\(number)")]) != nil, "\(number)")
        }
    }
}

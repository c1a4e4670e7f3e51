import Kafka
import PipelineTestSupport
import Primitives
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

/// A dead letter that its topic permanently rejects is rewritten, and the partition continues.
@Suite(.timeLimit(.minutes(5))) struct RefusedDeadLetterTests {
    /// The broker's `message.timestamp.before.max.ms` is one hour.
    @Test func `the dead letter of an old record has the time of writing, and the record's own time in a header`()
        async throws
    {
        let options = try await PipelineTestBroker.options()
        let old = SystemClock.wallMilliseconds() - 172_800_000
        try await PipelineTestBroker.configuration().write([
            KafkaProducerRecord(topic: options.topics[0], timestampMilliseconds: old, key: [1], value: Array("1".utf8)),
            KafkaProducerRecord(topic: options.topics[0], key: [1], value: Array("2".utf8)),
        ])
        let handler = RecordingHandler { record, _ in record.offset == 0 ? .deadLetter("bad") : .done }
        let letters = KafkaLetters { letter in
            guard let time = letter.timestampMilliseconds, time < SystemClock.wallMilliseconds() - 3_600_000
            else { return nil }
            return KafkaError(KafkaError.Code(rawValue: 32), "Invalid timestamp")
        }
        let test = try await PipelineHarness(options, .records(handler)) { try letters.send($0) }
        #expect(await eventually { handler.finished.map(\.number) == [2] })
        await test.stop()
        let letter = try #require(letters.all.first)
        #expect(letter.timestampMilliseconds == nil)
        #expect(letter.text("sluice.dlq.original.timestamp") == "\(old)")
    }

    /// A dead-letter topic with `cleanup.policy=compact` rejects records without a key.
    @Test func `the dead letter of a record without a key has its source position as key if the topic requires one`()
        async throws
    {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.configuration().write([
            KafkaProducerRecord(topic: options.topics[0], key: nil, value: Array("1".utf8)),
            KafkaProducerRecord(topic: options.topics[0], key: [1], value: Array("2".utf8)),
        ])
        let handler = RecordingHandler { record, _ in record.offset == 0 ? .deadLetter("bad") : .done }
        let letters = KafkaLetters { letter in
            letter.key == nil ? KafkaError(KafkaError.Code(rawValue: 87), "Invalid record") : nil
        }
        let test = try await PipelineHarness(options, .records(handler)) { try letters.send($0) }
        #expect(await eventually { handler.finished.map(\.number) == [2] })
        await test.stop()
        let letter = try #require(letters.all.first)
        #expect(letter.key == Array("\(options.topics[0]) 0 0".utf8))
        #expect(letter.value == Array("1".utf8))
        #expect(letter.text("sluice.dlq.omitted") == nil && letter.text("sluice.dlq.key") == "place")
    }

    @Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized)
    struct RefusedDeadLettersOnApacheKafkaTests {
        @Test(arguments: [
            (["message.timestamp.before.max.ms": "3600000"], nil as String?),
            (["cleanup.policy": "compact"], "place"),
        ])
        func `a poison record from two days ago is dead-lettered, and the next one is handled`(
            settings: [String: String], key: String?
        ) async throws {
            try await ApacheKafka.use {
                var options = try await PipelineTestBroker.options()
                let topic = KafkaTopic(rawValue: "refusing.\(options.topics[0])")
                options.deadLetterTopic = topic
                try await PipelineTestBroker.configuration().create([
                    KafkaNewTopic(topic: topic, partitions: 1, replicationFactor: 1, configuration: settings)
                ])
                let old = SystemClock.wallMilliseconds() - 172_800_000
                try await PipelineTestBroker.configuration().write([
                    KafkaProducerRecord(
                        topic: options.topics[0], timestampMilliseconds: old, key: nil, value: Array("1".utf8)),
                    KafkaProducerRecord(topic: options.topics[0], key: [1], value: Array("2".utf8)),
                ])
                let handler = RecordingHandler { record, _ in record.offset == 0 ? .deadLetter("bad") : .done }
                let test = try await PipelineHarness(options, .records(handler))
                #expect(await eventually { handler.finished.map(\.number) == [2] })
                await test.stop()
                let letter = try #require(try await PipelineTestBroker.deadLetters(options).first)
                #expect(letter.timestampMilliseconds ?? 0 > old + 86_400_000)
                #expect(letter.text("sluice.dlq.original.timestamp") == "\(old)")
                #expect(letter.text("sluice.dlq.key") == key)
            }
        }
    }
}

/// A dead-letter writer that records the letters a broker would accept.
private final class KafkaLetters: Sendable {
    private let taken = Mutex<[KafkaProducerRecord]>([])
    private let refusal: @Sendable (KafkaProducerRecord) -> KafkaError?

    init(_ refusal: @escaping @Sendable (KafkaProducerRecord) -> KafkaError?) { self.refusal = refusal }

    var all: [KafkaProducerRecord] { taken.withLock { $0 } }

    func send(_ letter: KafkaProducerRecord) throws {
        if let error = refusal(letter) { throw error }
        taken.withLock { $0.append(letter) }
    }
}

extension KafkaProducerRecord {
    fileprivate func text(_ header: String) -> String? {
        headers.last { $0.key == header }?.value.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension KafkaRecord {
    fileprivate func text(_ header: String) -> String? {
        self.header(header)?.value.map { String(decoding: $0, as: UTF8.self) }
    }
}

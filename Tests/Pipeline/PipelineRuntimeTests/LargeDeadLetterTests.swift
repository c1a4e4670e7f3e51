import Kafka
import PipelineTestSupport
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

/// A dead letter is larger than its record, which may already have Kafka's maximum size.
@Suite(.timeLimit(.minutes(5)))
struct LargeDeadLetterTests {
    @Test func `a dead letter that is too large is written without its value, and the next record is handled`()
        async throws
    {
        let input = try await deadLetter(
            key: "key", value: [UInt8](repeating: 7, count: 1900), headers: [KafkaHeader(key: "h", text: "kept")])
        let letter = try #require(input.letters.first)
        #expect(letter.key == Array("key".utf8))
        #expect(letter.value == nil)
        #expect(letter.text("h") == "kept")
        #expect(letter.text("sluice.dlq.omitted") == "value")
        #expect(letter.text("sluice.dlq.original.bytes") == "1908")
        #expect(letter.text("sluice.dlq.reason") == "bad")
        #expect(letter.text("__connect.errors.offset") == "0")
        #expect(input.logLines.contains { $0.contains("dead letter too large") && $0.contains(#""level":"error""#) })
    }

    @Test func `if the record's own headers are too large, the dead letter only names its source position`()
        async throws
    {
        let input = try await deadLetter(
            key: "key", value: [1], headers: [KafkaHeader(key: "h", value: [UInt8](repeating: 7, count: 1900))])
        let letter = try #require(input.letters.first)
        #expect(letter.key == nil && letter.value == nil && letter.header("h") == nil)
        #expect(letter.text("sluice.dlq.omitted") == "key,value,headers")
        #expect(
            letter.text("__connect.errors.topic")
                == letter.topic.rawValue.split(separator: ".group").first.map(String.init))
        #expect(letter.text("__connect.errors.offset") == "0")
    }

    @Test(arguments: [("524288", 900_000), ("1040000", 1_045_000)])
    func `the configured record limit does not apply to dead letters`(given: String, bytes: Int) async throws {
        let options = try await PipelineTestBroker.options()
        let letters = try DeadLetterProducer(
            PipelineTestBroker.configuration(["message.max.bytes": given]), topics: options.deadLetterTopics,
            logger: Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink()))
        try await letters.send(
            KafkaProducerRecord(
                topic: options.deadLetterTopics[0], key: nil, value: [UInt8](repeating: 7, count: bytes)))
        await letters.stop(within: .seconds(5))
        #expect(try await PipelineTestBroker.deadLetters(options).map(\.value?.count) == [bytes])
    }

    private struct Outcome {
        let letters: [KafkaRecord]
        let logLines: [String]
    }

    /// Dead-letters a record with a producer limit of 2,000 bytes, and waits for the next record.
    private func deadLetter(key: String, value: [UInt8], headers: [KafkaHeader]) async throws -> Outcome {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.configuration().write([
            KafkaProducerRecord(topic: options.topics[0], key: Array(key.utf8), value: value, headers: headers),
            KafkaProducerRecord(topic: options.topics[0], key: Array(key.utf8), value: Array("2".utf8)),
        ])
        let handler = RecordingHandler { record, _ in record.offset == 0 ? .deadLetter("bad") : .done }
        let test = try await PipelineHarness(options, .records(handler), properties: ["message.max.bytes": "2000"])
        try await waitUntil { handler.finished.map(\.number) == [2] }
        #expect(test.metric("sluice_consumer_dead_letters_truncated_total") == 1)
        #expect(test.metric("sluice_consumer_dead_letter_failures_total") == 0)
        await test.stop()
        return Outcome(letters: try await PipelineTestBroker.deadLetters(options), logLines: test.log.lines)
    }
}

extension KafkaRecord {
    fileprivate func text(_ header: String) -> String? {
        self.header(header)?.value.map { String(decoding: $0, as: UTF8.self) }
    }
}

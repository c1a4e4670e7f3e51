import Kafka
import Testing

@testable import KeyedState

/// The header by which a member recognizes its own records.
@Suite struct RecordMarkTests {
    private func record(_ text: String?) -> KafkaRecord {
        KafkaRecord(
            topic: "t", partition: 0, offset: 0, key: [], value: [],
            headers: text.map { [KafkaHeader(key: RecordMark.header, text: $0)] } ?? [])
    }

    @Test(arguments: [
        (RecordMark(writer: 1, number: 2, form: 3), "1;2;3"),
        (RecordMark(writer: .max, number: 0, form: -1), "ffffffffffffffff;0;ffffffffffffffff"),
        (RecordMark(writer: 0x10, number: 0xABC, form: 0), "10;abc;0"),
    ])
    func `a mark is read back as written`(mark: RecordMark, text: String) {
        #expect(String(decoding: mark.text, as: UTF8.self) == text)
        #expect(RecordMark(record(text)) == mark)
    }

    @Test(arguments: [nil, "", "1", "1;2", "1;2;3;4", "1;2;G", "1;2;3 ", "A;B;C"] as [String?])
    func `a malformed text is not read as a mark`(text: String?) {
        #expect(RecordMark(record(text)) == nil)
    }
}

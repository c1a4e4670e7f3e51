import KafkaModel
import Testing

/// Tests of headers that the client copies from librdkafka's memory.
@Suite struct RecordHeadersTests {
    private func record(_ headers: [(name: [UInt8], value: [UInt8]?)]) -> KafkaRecord {
        var packed = PackedHeaders(expecting: headers.count)
        for header in headers {
            header.name.withUnsafeBytes { name in
                guard let value = header.value else { return packed.append(name: name, value: nil) }
                value.withUnsafeBytes { packed.append(name: name, value: $0) }
            }
        }
        return KafkaRecord(
            topic: "t", partition: 1, offset: 2, timestampMilliseconds: 3, key: [1], value: [2, 3],
            packedHeaders: packed)
    }

    private let some: [(name: [UInt8], value: [UInt8]?)] = [
        (Array("a".utf8), Array("first".utf8)), (Array("b".utf8), nil), (Array("empty".utf8), []),
        (Array("a".utf8), Array("last".utf8)),
    ]

    @Test func `headers keep their order, and null differs from empty`() {
        let headers = record(some).headers
        #expect(headers.map(\.key) == ["a", "b", "empty", "a"])
        #expect(headers.map(\.value) == [Array("first".utf8), nil, [], Array("last".utf8)])
    }

    @Test func `the last of several headers with the same name is used`() throws {
        let record = record(some)
        #expect(record.header("a")?.text == "last")
        #expect(try #require(record.header("b")).value == nil)
        #expect(try #require(record.header("empty")).value == [])
        #expect(record.header("aa") == nil)
        #expect(record.header("") == nil)
        #expect(record.withHeaderValue("a") { $0.map { Array($0) } } == Array("last".utf8))
    }

    @Test func `a record equals one with the same headers given as a list`() {
        let packed = record(some)
        let listed = KafkaRecord(
            topic: "t", partition: 1, offset: 2, timestampMilliseconds: 3, key: [1], value: [2, 3],
            headers: packed.headers)
        #expect(packed == listed)
        #expect(packed.hashValue == listed.hashValue)
        #expect(packed.payloadBytes == listed.payloadBytes)
        #expect(packed != record(Array(some.dropLast())))
    }

    @Test func `a record without headers has none`() {
        let record = record([])
        #expect(record.headers.isEmpty)
        #expect(record.header("a") == nil)
        #expect(record.payloadBytes == 3)
    }

    @Test func `a name that is not UTF-8 is preserved and matches no text`() {
        let record = record([([0xFF], [1])])
        #expect(record.headers.map(\.value) == [[1]])
        #expect(record.header("\u{FFFD}") == nil)
    }
}

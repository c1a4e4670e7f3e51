import KafkaModel
import Testing

/// Tests of records that the client copies into a few blocks of memory.
@Suite struct PackedRecordsTests {
    private let place = KafkaTopicPartition(topic: "t", partition: 3)

    private func record(
        _ offset: Int64, key: [UInt8]?, value: [UInt8]?, at time: Int64? = nil, _ headers: [KafkaHeader] = []
    ) -> KafkaRecord {
        KafkaRecord(
            topic: place.topic, partition: place.partition, offset: KafkaOffset(rawValue: offset),
            timestampMilliseconds: time, key: key, value: value, headers: headers)
    }

    private var records: [KafkaRecord] {
        let headers = [KafkaHeader(key: "a", text: "first"), KafkaHeader(key: "b", value: nil)]
        return [
            record(1, key: [1], value: [2, 3], at: 4, headers), record(2, key: nil, value: nil),
            record(5, key: [], value: [], at: 0), record(6, key: [7], value: nil, headers + headers),
            // A record that is larger than a block, and a record after it.
            record(7, key: [8], value: [UInt8](repeating: 9, count: 200_000), at: 1), record(8, key: [1], value: [1]),
        ]
    }

    @Test func `packed records are read back in order, and null differs from empty`() {
        let packed = PackedRecords(records, of: place)
        #expect(packed.count == records.count)
        #expect(packed.list == records)
        #expect(packed.last == records.last)
        #expect(PackedRecords(place).last == nil)
    }

    @Test func `each record is passed with its bytes and headers`() {
        let packed = PackedRecords(records, of: place)
        var index = 0
        packed.forEach { record in
            let expected = records[index]
            #expect(record.index == index && record.offset == expected.offset)
            #expect(record.timestampMilliseconds == expected.timestampMilliseconds)
            #expect(record.key.map { Array($0) } == expected.key)
            #expect(record.value.map { Array($0) } == expected.value)
            var headers: [KafkaHeader] = []
            record.forEachHeader { name, value in
                headers.append(KafkaHeader(key: String(decoding: name, as: UTF8.self), value: value.map { Array($0) }))
            }
            #expect(headers == expected.headers)
            index += 1
        }
        #expect(index == records.count)
    }

    @Test func `a range in a block covers the bytes of a part`() {
        let packed = PackedRecords(records, of: place)
        packed.forEach { record in
            guard let key = record.key, let value = record.value else { return }
            #expect(record.keyRange.map { Array(packed.blocks[record.block][$0]) } == Array(key))
            #expect(record.valueRange.map { Array(packed.blocks[record.block][$0]) } == Array(value))
            let part = UnsafeRawBufferPointer(rebasing: value.dropFirst())
            #expect(Array(packed.blocks[record.block][record.range(of: part)]) == Array(part))
        }
    }

    @Test func `many small records share blocks`() {
        let records = (0..<10_000).map { record(Int64($0), key: [1], value: [UInt8](repeating: 2, count: 59)) }
        let packed = PackedRecords(records, of: place)
        #expect(packed.blocks.count == 10)
        #expect(packed.list == records)
    }
}

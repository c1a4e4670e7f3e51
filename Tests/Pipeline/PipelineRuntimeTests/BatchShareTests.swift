import Kafka
import Testing

@testable import PipelineRuntime

struct BatchShareTests {
    private let places = (0..<48).map { KafkaTopicPartition(topic: "t", partition: KafkaPartition(rawValue: $0)) }

    @Test func `partitions that have more records share, and one alone has everything`() {
        let share = BatchShare(total: 1 << 20)
        #expect(share.bytes(for: places[0]) == 1 << 20)
        for place in places.prefix(4) { share.note(place, hasMore: true) }
        #expect(share.bytes(for: places[0]) == 1 << 18)
        share.note(places[0], hasMore: true)
        #expect(share.bytes(for: places[0]) == 1 << 18)
        // One that comes has to share with those that are there.
        #expect(share.bytes(for: places[4]) == (1 << 20) / 5)
        for place in places[1..<4] { share.note(place, hasMore: false) }
        #expect(share.bytes(for: places[0]) == 1 << 20)
    }

    @Test func `no share is so small that batches cost more than records`() {
        let share = BatchShare(total: 1 << 20)
        for place in places { share.note(place, hasMore: true) }
        #expect(share.bytes(for: places[0]) == 64 << 10)
        #expect(BatchShare(total: 1_000).bytes(for: places[0]) == 1_000)
    }
}

import Kafka
import Testing

@testable import PipelineRuntime

struct BatchShareTests {
    private let places = (0..<48).map { KafkaTopicPartition(topic: "t", partition: KafkaPartition(rawValue: $0)) }

    @Test func `partitions with a batch in progress share the total, and a single one gets all of it`() {
        let share = BatchShare(total: 1 << 20)
        for place in places.prefix(4) { share.begin(place, isFull: true) }
        #expect(share.next(of: places[0]) == 1 << 18)
        share.begin(places[0], isFull: true)
        #expect(share.next(of: places[0]) == 1 << 18)
        // Partitions that wait for records or belong to another member take no share.
        _ = share.next(of: places[1])
        share.end(places[2])
        #expect(share.next(of: places[0]) == 1 << 19)
        _ = share.next(of: places[3])
        #expect(share.next(of: places[0]) == 1 << 20)
    }

    @Test func `a partition starts with a small batch, and again after a batch that was not full`() {
        let share = BatchShare(total: 1 << 20)
        #expect(share.next(of: places[0]) == 64 << 10)
        share.begin(places[0], isFull: true)
        #expect(share.next(of: places[0]) == 1 << 20)
        share.begin(places[0], isFull: false)
        #expect(share.next(of: places[0]) == 64 << 10)
    }

    @Test func `a share is never below the minimum batch size`() {
        let share = BatchShare(total: 1 << 20)
        for place in places { share.begin(place, isFull: true) }
        #expect(share.next(of: places[0]) == 64 << 10)
        #expect(BatchShare(total: 1_000).next(of: places[0]) == 1_000)
    }
}

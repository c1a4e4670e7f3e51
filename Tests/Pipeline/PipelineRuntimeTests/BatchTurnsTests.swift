import Kafka
import Synchronization
import Testing

@testable import PipelineRuntime

struct BatchTurnsTests {
    private let partitions = (0..<48).map { WaitingPartition($0) }
    private let small = BatchTurns.Limits(bytes: 64 << 10, isLarge: false)
    private let large = BatchTurns.Limits(bytes: 512 << 10, isLarge: true)

    @Test func `partitions without a backlog have small batches and take no turns`() async {
        let turns = BatchTurns(total: 1 << 20)
        for partition in partitions {
            #expect(await turns.next(of: partition) == small)
            turns.begin([record(100)], of: partition.topicPartition, atMost: 500, bytes: small.bytes)
        }
        for partition in partitions { #expect(await turns.next(of: partition) == small) }
        #expect(partitions.allSatisfy { $0.pauses.isEmpty })
    }

    @Test(arguments: [(65_536, 500), (100, 1)])
    func `a partition has a backlog after a batch of 64 KiB or of the maximum number of records`(
        _ bytes: Int, _ most: Int
    ) async {
        let turns = BatchTurns(total: 1 << 20)
        turns.begin([record(bytes)], of: partitions[0].topicPartition, atMost: most, bytes: small.bytes)
        #expect(await turns.next(of: partitions[0]) == large)
        // The large batch took everything that was waiting.
        turns.begin([record(100)], of: partitions[0].topicPartition, atMost: 500, bytes: large.bytes)
        #expect(await turns.next(of: partitions[0]) == small)
    }

    @Test func `a partition with a small window has a backlog when it fills the window`() async {
        let turns = BatchTurns(total: 1 << 20)
        turns.begin([record(1000)], of: partitions[0].topicPartition, atMost: 500, bytes: 1000)
        #expect(await turns.next(of: partitions[0]) == large)
    }

    @Test func `large batches take turns within the total, in the order of requests`() async {
        let turns = BatchTurns(total: 1 << 20)
        for partition in partitions { addBacklog(of: partition, to: turns) }
        #expect(await turns.next(of: partitions[0]) == large)
        #expect(await turns.next(of: partitions[1]) == large)
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            for number in 2..<4 {
                let partition = partitions[number]
                group.addTask {
                    #expect(await turns.next(of: partition) == large)
                    order.add(number)
                    turns.end(partition.topicPartition)
                }
                await partition.untilWaiting()
            }
            #expect(order.numbers.isEmpty)
            turns.end(partitions[0].topicPartition)
        }
        #expect(order.numbers == [2, 3])
    }

    @Test func `a partition waits a quarter of a second for a turn, and then goes on without one`() async {
        let turns = BatchTurns(total: 1 << 20)
        for partition in partitions { addBacklog(of: partition, to: turns) }
        _ = await turns.next(of: partitions[0])
        _ = await turns.next(of: partitions[1])
        async let limits = turns.next(of: partitions[2])
        await partitions[2].untilWaiting()
        partitions[2].endPause()
        #expect(await limits == large)
        #expect(partitions[2].pauses == [.milliseconds(250)])
        // It had no turn to give to another partition.
        turns.end(partitions[2].topicPartition)
        async let next = turns.next(of: partitions[3])
        await partitions[3].untilWaiting()
        turns.end(partitions[1].topicPartition)
        #expect(await next == large)
    }

    @Test func `as many large batches begin at once as fit in the total`() async {
        let turns = BatchTurns(total: 1 << 20)
        let partitions = (0..<3).map { WaitingPartition($0, endsPauses: true) }
        for partition in partitions {
            addBacklog(of: partition, to: turns)
            _ = await turns.next(of: partition)
        }
        #expect(partitions.map(\.pauses.count) == [0, 0, 1])
    }

    @Test func `a partition that reads nothing, is removed or is cancelled keeps no turn`() async {
        let turns = BatchTurns(total: 512 << 10)
        let partitions = (0..<5).map { WaitingPartition($0, endsPauses: $0 != 3) }
        for partition in partitions { addBacklog(of: partition, to: turns) }
        _ = await turns.next(of: partitions[0])
        turns.begin([], of: partitions[0].topicPartition, atMost: 500, bytes: large.bytes)
        _ = await turns.next(of: partitions[1])
        turns.remove(partitions[1].topicPartition)
        _ = await turns.next(of: partitions[2])
        let cancelled = Task { await turns.next(of: partitions[3]) }
        await partitions[3].untilWaiting()
        cancelled.cancel()
        _ = await cancelled.value
        turns.end(partitions[2].topicPartition)
        _ = await turns.next(of: partitions[4])
        #expect(partitions.map(\.pauses.count) == [0, 0, 0, 1, 0])
        // A removed partition starts with a small batch if it is assigned again.
        #expect(await turns.next(of: partitions[1]) == small)
    }

    @Test func `no batch is larger than the total`() async {
        let turns = BatchTurns(total: 1000)
        #expect(await turns.next(of: partitions[0]).bytes == 1000)
        addBacklog(of: partitions[0], to: turns)
        #expect(await turns.next(of: partitions[0]).bytes == 1000)
    }

    private func addBacklog(of partition: WaitingPartition, to turns: BatchTurns) {
        turns.begin([record(64 << 10)], of: partition.topicPartition, atMost: 500, bytes: small.bytes)
    }

    private func record(_ bytes: Int) -> KafkaRecord {
        KafkaRecord(
            topic: "t", partition: 0, offset: 0, key: nil, value: [UInt8](repeating: 0, count: bytes), headers: [])
    }
}

private final class Order: Sendable {
    private let state = Mutex<[Int]>([])

    var numbers: [Int] { state.withLock { $0 } }
    func add(_ number: Int) { state.withLock { $0.append(number) } }
}

/// A partition with pauses that a test ends.
final class WaitingPartition: WorkerPartition {
    private struct State {
        var pauses: [Duration] = []
        var pause: CheckedContinuation<Bool, Never>?
        var observer: CheckedContinuation<Void, Never>?
    }

    let topicPartition: KafkaTopicPartition
    let startOffset: KafkaOffset = 0
    let isActive = true
    private let endsPauses: Bool
    private let state = Mutex(State())

    /// - Parameter endsPauses: whether a pause ends immediately.
    init(_ number: Int32, endsPauses: Bool = false) {
        self.endsPauses = endsPauses
        topicPartition = KafkaTopicPartition(topic: "t", partition: KafkaPartition(rawValue: number))
    }

    /// The durations of all pauses.
    var pauses: [Duration] { state.withLock { $0.pauses } }

    /// Returns when a pause has begun.
    func untilWaiting() async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard state.pauses.isEmpty else { return true }
                state.observer = continuation
                return false
            }
            if isWaiting { continuation.resume() }
        }
    }

    func endPause() { state.withLock { $0.pause.take() }?.resume(returning: true) }

    func pause(for duration: Duration) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let observer = state.withLock { state in
                    state.pauses.append(duration)
                    state.pause = continuation
                    return state.observer.take()
                }
                observer?.resume()
                if Task.isCancelled || endsPauses { endPause() }
            }
        } onCancel: {
            endPause()
        }
    }

    func next(maxRecords: Int, maxBytes: Int, within limit: Duration?) async -> [KafkaRecord]? { nil }
    func store(nextOffset: KafkaOffset) async {}
    func untilInactive() async {}
    func untilEnded() async {}
    func release() async {}
}

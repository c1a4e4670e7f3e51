import Kafka
import Primitives
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import KeyedState

struct StateWriterTests {
    private let topic: KafkaTopic = "state"
    private let directory: TemporaryDirectory
    private let store: StateStore
    private let threads = ThreadForEach()

    init() throws {
        directory = try TemporaryDirectory()
        store = try StateStore(Database(path: directory.file("rows")), topics: [topic])
    }

    private func place(_ partition: Int32) -> KafkaTopicPartition {
        KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: partition))
    }

    private func write(_ partition: Int32, _ key: String) -> StateWrite {
        let row = RowWrite(
            key: Array(key.utf8), id: 0, image: RowImage(encoded: NumberSet(key, [1]).text), oldEntries: [])
        return StateWrite(rows: [row], partition: place(partition), next: 1, now: 0)
    }

    private func start(_ write: StateWrite, _ writer: StateWriter) -> Task<[Int64], any Error> {
        Task(executorPreference: threads) { [threads] in
            threads.begun.add(1, ordering: .relaxed)
            return try await writer.apply(write)
        }
    }

    /// Calls `body` while the database is busy, and unblocks it afterwards.
    private func whileBusy(_ body: () async throws -> Void) async throws {
        let (store, place, key) = (store, place(0), Array("busy".utf8))
        let (isBusy, isOver, mayGoOn) = (Completion(), Completion(), DispatchGate())
        try store.keep([key: NumberSet("busy").text], of: place, joinedBy: { one, _ in one })
        let error = OwnThread.start(name: "busy") {
            try? store.keep([key: NumberSet("busy").text], of: place) { one, _ in
                isBusy.complete()
                mayGoOn.wait()
                return one
            }
            isOver.complete()
        }
        try #require(error == 0)
        await isBusy.wait()
        do {
            defer { mayGoOn.open() }
            try await body()
        }
        await isOver.wait()
    }

    @Test func `writes that arrive during a transaction are combined, and each returns its own rows`() async throws {
        let writer = StateWriter(store)
        var tasks: [Task<[Int64], any Error>] = []
        try await whileBusy {
            tasks = (0..<6).map { start(write($0, "key\($0)"), writer) }
            try await waitUntil { threads.begun.load(ordering: .relaxed) == 6 }
        }
        var ids: [Int64] = []
        for task in tasks { ids += try await task.value }
        let database = try Database(path: directory.file("rows"), access: .reader)
        for (partition, id) in ids.enumerated() {
            #expect(try store.position(of: place(Int32(partition)))?.next == 1)
            let key = try database.firstRow("SELECT key FROM rows WHERE id = ?", [.integer(id)]) { try $0.blob(0) }
            #expect(key == Array("key\(partition)".utf8))
        }
        #expect(Set(ids).count == 6)
        database.close()
        store.close()
    }

    @Test func `a failed write does not fail the others`() async throws {
        let writer = StateWriter(store)
        _ = try await writer.apply(write(0, "there"))
        var first: Task<[Int64], any Error>?
        var tasks: [Task<[Int64], any Error>] = []
        try await whileBusy {
            first = start(write(1, "first"), writer)
            // The row already exists.
            tasks = [(2, "there"), (3, "good"), (4, "better")].map { start(write($0, $1), writer) }
            try await waitUntil { threads.begun.load(ordering: .relaxed) == 4 }
        }
        _ = try await first?.value
        await #expect(throws: StateError.self) { _ = try await tasks[0].value }
        #expect(try await tasks[1].value.count == 1)
        #expect(try await tasks[2].value.count == 1)
        #expect(try store.position(of: place(2)) == nil)
        #expect(try store.position(of: place(3))?.next == 1)
        #expect(try store.position(of: place(4))?.next == 1)
        store.close()
    }

    @Test func `an oversized state initializes a partition only if it never had records`() throws {
        let rows = try StateRowSource(path: directory.file("rows"), topics: store.topics, connections: 1)
        #expect(try !rows.knows(place(0), hadRecords: false))
        try store.keep([Array("a".utf8): NumberSet("a", [1]).text], of: place(0)) { one, _ in one }
        #expect(try rows.knows(place(0), hadRecords: false))
        #expect(try !rows.knows(place(1), hadRecords: false))
        #expect(try !rows.knows(place(0), hadRecords: true))
        rows.close()
        store.close()
    }

    @Test func `applied rows that were never written are applied again when reading restarts`() throws {
        let rows = try StateRowSource(path: directory.file("rows"), topics: store.topics, connections: 1)
        let partition = StatePartition(
            place(0), model: NumberSetModel(), writer: 1, rows: rows, partitionCount: 1, maximumBytes: 1 << 20,
            publish: { _, _ in })
        let key = Array("a".utf8)
        let record = KafkaRecord(
            topic: topic, partition: 0, offset: 0, key: key, value: NumberSet("a", [1]).text)
        #expect(try partition.apply([record]).writes.map(\.key) == [key])
        // The disk was full, and the partition moved to another member before space was available.
        partition.restart()
        #expect(try partition.apply([record]).writes.map(\.key) == [key])
        rows.close()
        store.close()
    }
}

/// Runs each job on its own thread, so that a transaction that waits for the database does not block other tests.
private final class ThreadForEach: TaskExecutor {
    /// Number of started writes. The threads determine which of them share a transaction.
    let begun = Atomic(0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let error = OwnThread.start(name: "test") { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        if error != 0 { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

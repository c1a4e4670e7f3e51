import Foundation
import Kafka
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

struct HandlerCallsTests {
    private func record(_ offset: Int64, topic: KafkaTopic = "t") -> KafkaRecord {
        KafkaRecord(topic: topic, partition: 2, offset: KafkaOffset(rawValue: offset), key: nil, value: nil)
    }

    /// Simulates a process that crashes while these ranges are being handled, each in a separate call.
    private func crash(_ directory: TemporaryDirectory, inWork ranges: [ClosedRange<Int64>], isAlone: Bool = false)
        throws
    {
        let file = try CallFile.open(name: "group", in: directory.path)
        for (slot, range) in ranges.enumerated() {
            file.begin(slot: slot, PartitionHash.of("t"), 2, range, isAlone: isAlone)
        }
        UnsafeMutablePointer<Int64>(bitPattern: file.crashWord)?.pointee = 1
    }

    private func calls(_ directory: TemporaryDirectory) throws -> HandlerCalls {
        HandlerCalls(file: try CallFile.open(name: "group", in: directory.path))
    }

    @Test func `records in progress during three crashes are suspected, and confirmed if handled alone`() throws {
        let directory = try TemporaryDirectory()
        try crash(directory, inWork: [10...20, 40...40])
        try crash(directory, inWork: [5...15])
        #expect(try !calls(directory).hasSuspects)
        try crash(directory, inWork: [12...18])
        do {
            let calls = try calls(directory)
            #expect(calls.hasSuspects)
            #expect(
                [11, 12, 18, 19, 40].map { calls.finding(record($0)) }
                    == [.innocent, .suspect, .suspect, .innocent, .innocent])
            #expect(calls.finding(record(12, topic: "other")) == .innocent)
        }
        try crash(directory, inWork: [13...13], isAlone: true)
        let calls = try calls(directory)
        #expect(calls.finding(record(13)) == .certain(crashes: 4))
        #expect(calls.finding(record(14)) == .suspect)
    }

    @Test func `neither a completed call nor one in a killed process causes suspicion`() async throws {
        let directory = try TemporaryDirectory()
        do {
            let file = try CallFile.open(name: "group", in: directory.path)
            try await HandlerCalls(file: file).call(first: record(1), last: record(9)) {}
            file.noteCrash()
        }
        do {
            let file = try CallFile.open(name: "group", in: directory.path)
            #expect(file.suspicions.isEmpty)
            file.begin(slot: 0, PartitionHash.of("t"), 2, 1...9, isAlone: false)
        }
        #expect(try CallFile.open(name: "group", in: directory.path).suspicions.isEmpty)
    }

    @Test func `finished records are no longer suspected, even by the next process`() throws {
        let directory = try TemporaryDirectory()
        for _ in 1...3 { try crash(directory, inWork: [3...3, 7...9]) }
        do {
            let calls = try calls(directory)
            calls.finished(record(3))
            #expect(calls.finding(record(3)) == .innocent)
            calls.finished(KafkaTopicPartition(topic: "t", partition: 2), before: 9)
            #expect(calls.finding(record(8)) == .suspect)
            calls.finished(KafkaTopicPartition(topic: "t", partition: 2), before: 10)
        }
        #expect(try CallFile.open(name: "group", in: directory.path).suspicions.isEmpty)
    }

    @Test func `a suspected record is handled while no other record is`() async throws {
        let directory = try TemporaryDirectory()
        for _ in 1...3 { try crash(directory, inWork: [3...3]) }
        let calls = try calls(directory)
        let gate = Gate()
        let order = Journal()
        await withTaskGroup { group in
            group.addTask {
                try? await calls.call(first: record(1), last: record(1)) {
                    order.note("one begins")
                    await gate.pass()
                    order.note("one ends")
                }
            }
            _ = await eventually { !order.entries.isEmpty }
            group.addTask {
                try? await calls.call(first: record(3), last: record(3), isAlone: true) {
                    order.note("alone")
                }
            }
            gate.open()
        }
        #expect(order.entries == ["one begins", "one ends", "alone"])
    }

    @Test func `a suspected record waits for the calls of all consumers of the process`() async throws {
        let directory = try TemporaryDirectory()
        for _ in 1...3 { try crash(directory, inWork: [3...3]) }
        let isolation = CallIsolation()
        let other = HandlerCalls(isolation: isolation)
        let calls = HandlerCalls(file: try CallFile.open(name: "group", in: directory.path), isolation: isolation)
        let gate = Gate()
        let order = Journal()
        await withTaskGroup { group in
            group.addTask {
                try? await other.call(first: record(1), last: record(1)) {
                    order.note("other begins")
                    await gate.pass()
                    order.note("other ends")
                }
            }
            _ = await eventually { !order.entries.isEmpty }
            group.addTask {
                try? await calls.call(first: record(3), last: record(3), isAlone: true) {
                    order.note("alone")
                }
            }
            _ = await eventually { isolation.permits?.waiting == 1 }
            gate.open()
        }
        #expect(order.entries == ["other begins", "other ends", "alone"])
    }

    @Test func `a crash is recorded in the files of all consumers of the process`() throws {
        let directory = try TemporaryDirectory()
        do {
            let files = try ["first", "second"].map { try CallFile.open(name: $0, in: directory.path) }
            let calls = files.map { HandlerCalls(file: $0) }
            for file in files { file.begin(slot: 0, PartitionHash.of("t"), 2, 1...9, isAlone: false) }
            CrashSignals.noteCrash()
            withExtendedLifetime(calls) {}
        }
        for name in ["first", "second"] {
            #expect(try CallFile.open(name: name, in: directory.path).suspicions.map(\.last) == [9])
        }
    }

    @Test func `two processes in one directory have separate files, and an invalid file is reset`() throws {
        let directory = try TemporaryDirectory()
        _ = try directory.write([UInt8](repeating: 0xFF, count: 500_000), to: "group.calls")
        let first = try CallFile.open(name: "group", in: directory.path)
        #expect(first.suspicions.isEmpty)
        let second = try CallFile.open(name: "group", in: directory.path)
        #expect(first.crashWord != second.crashWord)
        #expect(throws: (any Error).self) { try CallFile.open(name: "group", in: "/proc/nowhere") }
    }

    @Test func `an implausible number of crashes in the file does not end the process`() throws {
        let directory = try TemporaryDirectory()
        do {
            let file = try CallFile.open(name: "group", in: directory.path)
            file.write([
                Suspicion(
                    topicHash: PartitionHash.of("t"), partition: 2, first: 3, last: 3, crashes: .max, isCertain: false)
            ])
        }
        try crash(directory, inWork: [3...3])
        #expect(try calls(directory).finding(record(3)) == .suspect)
    }

    /// If blocks were not allocated, a write to the mapped file would crash the process when the disk is full.
    @Test func `all blocks of the file are allocated before it is written`() throws {
        let directory = try TemporaryDirectory()
        // A file from an earlier version, which has a hole.
        let path = directory.file("group.calls")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(truncate(path, 50_000) == 0)
        let file = try CallFile.open(name: "group", in: directory.path)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_size > 50_000)
        #expect(Int64(status.st_blocks) * 512 >= Int64(status.st_size))
        withExtendedLifetime(file) {}
    }

    @Test func `a deadline reports the oldest running call once`() {
        let late = Mutex<[KafkaOffset]>([])
        let deadline = CallDeadline(.seconds(3600)) { _, offset in late.withLock { $0.append(offset) } }
        let first = deadline.begin(record(1), at: 0)
        _ = deadline.begin(record(2), at: 1_000_000_000)
        deadline.check(at: 3_600_000_000_000)
        #expect(late.withLock { $0 } == [])
        deadline.end(first)
        deadline.check(at: 3_600_500_000_000)
        #expect(late.withLock { $0 } == [])
        deadline.check(at: 3_602_000_000_000)
        deadline.check(at: 3_603_000_000_000)
        #expect(late.withLock { $0 } == [2])
    }

    @Test func `a call that exceeded its deadline is suspected even if it returns when cancelled`() async throws {
        let directory = try TemporaryDirectory()
        do {
            let file = try CallFile.open(name: "group", in: directory.path)
            let deadline = CallDeadline(.seconds(3600)) { [weak file] _, _ in file?.noteCrash() }
            let calls = HandlerCalls(file: file, deadline: deadline)
            try await calls.call(first: record(3), last: record(3)) { deadline.check(at: .max) }
            try await calls.call(first: record(4), last: record(4)) {}
        }
        let suspicions = try CallFile.open(name: "group", in: directory.path).suspicions
        #expect(suspicions.map(\.first) == [3])
    }

    @Test func `a record that waits for a permit is not part of a call`() async throws {
        let late = Mutex<[KafkaOffset]>([])
        let deadline = CallDeadline(.seconds(3600)) { _, offset in late.withLock { $0.append(offset) } }
        let worker = worker(HandlerCalls(deadline: deadline))
        let permits = Permits(1)
        #expect(permits.acquireNow())
        let record = record(7)
        let handling = Task { await worker.process(record, permits) { _ in .done } }
        try await waitUntil { permits.waiting == 1 }
        deadline.check(at: .max)
        #expect(late.withLock { $0 } == [])
        permits.release()
        #expect(await handling.value == .done)
        #expect(permits.acquireNow())
    }

    private func worker(_ calls: HandlerCalls) -> PartitionWorker {
        let options = PipelineOptions(group: "group", topics: ["t"])
        let handler = PipelineHandler.records(RecordingHandler())
        let telemetry = PipelineTelemetry(
            topics: options.topics, logger: Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink()),
            registry: MetricsRegistry())
        return PartitionWorker(
            partition: WaitingPartition(2), handler: handler, options: options,
            window: PartitionWindow(limits: options.windowLimits(handler)),
            turns: BatchTurns(total: options.maximumBatchBytes), calls: calls, sendDeadLetter: { _ in },
            telemetry: telemetry, handled: HandledOffsets(), pause: GroupPause(options.group), tracing: nil)
    }
}

import ArchiveLog
import Cryptography
import Foundation
import ObjectStorage
import ObjectStorageTestSupport
import TestSupport
import Testing
import TransparencyLog

/// A writer that ends or fails at each of its system calls.
@Suite("Crashes of a log's writer") struct LogCrashTests {
    private let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.ed25519) }

    private static let ends: [Int64] = [2, 254, 258, 259]

    /// Writes all steps. Returns the end of the last acknowledged step.
    private func write(_ calls: any FileCalls) async -> Int64 {
        var acknowledged: Int64 = 0
        do {
            let log = try WrittenLog(DirectoryStore(path: "/archive", creating: true, calls: calls), key: key)
            var writer = try await log.open()
            for end in Self.ends {
                try WrittenLog.append(upTo: end, to: &writer)
                try await writer.commit(at: 0)
                acknowledged = end
            }
        } catch {}
        return acknowledged
    }

    /// Runs the next process, which must have every acknowledged leaf and continue to the end.
    private func resume(_ disk: SimulatedDisk, after acknowledged: Int64, _ context: String) async throws {
        let log = try WrittenLog(DirectoryStore(path: "/archive", creating: true, calls: disk), key: key)
        var writer = try await log.open()
        #expect(writer.committedSize >= Int(acknowledged), "\(context)")
        try WrittenLog.append(upTo: 262, to: &writer)
        try await writer.commit(at: 0)
        #expect(try await log.check().size == 262, "\(context)")
    }

    private func callCount() async throws -> Int {
        let calls = FaultyCalls(SimulatedDisk())
        #expect(await write(calls) == Self.ends.last)
        return calls.total
    }

    @Test func `a log is continued without a gap or repeat after a process ended at any system call`() async throws {
        for number in 1...(try await callCount()) {
            let disk = SimulatedDisk()
            let acknowledged = await write(FaultyCalls(disk, [.init(nil, number: number, kills: true)]))
            try await resume(disk.afterDeath(), after: acknowledged, "call \(number)")
        }
    }

    @Test func `a power loss at any system call loses no acknowledged leaf`() async throws {
        var generator = SeededGenerator(seed: 7)
        let repetitions = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == nil ? 1 : 20
        for number in 1...(try await callCount()) {
            for _ in 0..<repetitions {
                let disk = SimulatedDisk()
                let acknowledged = await write(FaultyCalls(disk, [.init(nil, number: number, kills: true)]))
                try await resume(disk.afterPowerLoss(&generator), after: acknowledged, "call \(number)")
            }
        }
    }

    @Test func `files of a crashed writer are durable before the next one's checkpoint covers them`() async throws {
        var generator = SeededGenerator(seed: 13)
        for number in 1...(try await callCount()) {
            let disk = SimulatedDisk()
            let acknowledged = await write(FaultyCalls(disk, [.init(nil, number: number, kills: true)]))
            let successor = disk.afterDeath()
            try await resume(successor, after: acknowledged, "call \(number)")
            for _ in 0..<4 {
                try await resume(successor.afterPowerLoss(&generator), after: 262, "call \(number), power loss")
            }
        }
    }

    /// 40 logs with 50 crashes each with `SLUICE_TEST_LONG`, otherwise 3 logs.
    @Test func `a log is intact after each of many crashes, has every record once, and never shrinks`()
        async throws
    {
        let isLong = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] != nil
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<(isLong ? 40 : 3) {
            var disk = SimulatedDisk()
            var acknowledged: Int64 = 0
            for death in 0..<50 {
                await die(on: disk, at: Int.random(in: 1...90, using: &generator), &acknowledged, &generator)
                disk = Bool.random(using: &generator) ? disk.afterDeath() : disk.afterPowerLoss(&generator)
                // The image is verified as the crash left it, before any repair.
                let image = try WrittenLog(DirectoryStore(path: "/archive", creating: true, calls: disk), key: key)
                try await verify(image, "death \(death)")
            }
            let log = try WrittenLog(DirectoryStore(path: "/archive", creating: true, calls: disk), key: key)
            _ = try await log.open()
            #expect(try await log.check().size >= Int(acknowledged))
        }
    }

    private func die(
        on disk: SimulatedDisk, at number: Int, _ acknowledged: inout Int64, _ generator: inout SeededGenerator
    ) async {
        let calls = FaultyCalls(disk, [.init(nil, number: number, kills: true)])
        do {
            let log = try WrittenLog(DirectoryStore(path: "/archive", creating: true, calls: calls), key: key)
            var writer = try await log.open()
            #expect(writer.committedSize >= Int(acknowledged))
            while !calls.isDead {
                let end = acknowledged + Int64.random(in: 1...120, using: &generator)
                try WrittenLog.append(upTo: end, to: &writer)
                try await writer.commit(at: 0)
                acknowledged = max(acknowledged, end)
            }
        } catch {}
    }

    private func verify(_ log: WrittenLog, _ context: String) async throws {
        let options = VerificationOptions(verifiers: try log.signer.verifiers())
        let report = try await ArchiveVerification(log.store, options: options).run()
        #expect(report.findings.isEmpty, "\(context): \(report.findings)")
    }

    @Test func `a call that fails once succeeds when it is repeated`() async throws {
        for number in 1...(try await callCount()) {
            let disk = SimulatedDisk()
            let calls = FaultyCalls(disk)
            let log = try WrittenLog(DirectoryStore(path: "/archive", creating: true, calls: calls), key: key)
            calls.reset([.init(nil, number: number)])
            var writer: LogWriter?
            for _ in 0..<3 where writer == nil { writer = try? await log.open() }
            var present = try #require(writer, "call \(number)")
            for end in Self.ends {
                try WrittenLog.append(upTo: end, to: &present)
                var isDone = false
                for _ in 0..<3 where !isDone {
                    do {
                        try await present.commit(at: 0)
                        isDone = true
                    } catch {}
                }
                #expect(isDone, "call \(number)")
            }
            calls.reset()
            try await log.check()
        }
    }
}

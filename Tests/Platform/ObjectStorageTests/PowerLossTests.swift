import Foundation
import ObjectStorage
import ObjectStorageTestSupport
import TestSupport
import Testing

/// Tests with writers that die at any system call, with or without a power loss.
@Suite(.timeLimit(.minutes(10)))
struct PowerLossTests {
    @Test func `everything reported as durable survives a power loss`() async throws {
        for seed in UInt64(0)..<1_500 { try await lives(seed, losingPower: true) }
    }

    @Test func `everything reported as written survives the end of the process`() async throws {
        for seed in UInt64(0)..<500 { try await lives(seed, losingPower: false) }
    }

    @Test func `content read by the next writer never reverts, even if the last writer did not finish its exchange`()
        async throws
    {
        let name = try ObjectName("log/checkpoint")
        for seed in UInt64(0)..<50 {
            let disk = SimulatedDisk()
            let calls = FaultyCalls(disk)
            let first = try DirectoryStore(path: "/archive", creating: true, calls: calls)
            let version = try await first.replace(name, Array("old".utf8), expected: nil)
            try await first.synchronize()
            // The new file is durable and renamed. The process ends before the folder is durable.
            calls.reset([FaultyCalls.Fault(.synchronize, number: 2, kills: true)])
            await #expect(throws: ObjectStoreError.self) {
                _ = try await first.replace(name, Array("new".utf8), expected: version)
            }
            let successor = disk.afterDeath()
            let second = try DirectoryStore(path: "/archive", creating: false, calls: successor)
            _ = try await second.lock(try ObjectName("log"))
            let found = try await second.read(name)
            #expect(found?.bytes == Array("new".utf8))
            var generator = SeededGenerator(seed: seed)
            let third = try DirectoryStore(
                path: "/archive", creating: false, calls: successor.afterPowerLoss(&generator))
            #expect(try await third.read(name) == found)
        }
    }

    @Test func `an object found to exist is durable after the next synchronization, regardless of its creator`()
        async throws
    {
        let name = try ObjectName("log/tile/000")
        for seed in UInt64(0)..<20 {
            let disk = SimulatedDisk()
            let first = try DirectoryStore(path: "/archive", creating: true, calls: disk)
            try await first.create(name, Array("leaf".utf8))
            let successor = disk.afterDeath()
            let second = try DirectoryStore(path: "/archive", creating: false, calls: successor)
            await #expect(throws: ObjectStoreError.self) { try await second.create(name, Array("leaf".utf8)) }
            try await second.synchronize()
            var generator = SeededGenerator(seed: seed)
            let third = try DirectoryStore(
                path: "/archive", creating: false, calls: successor.afterPowerLoss(&generator))
            #expect(try await third.read(name)?.bytes == Array("leaf".utf8))
        }
    }

    @Test func `an object that had already been exchanged remains after a power loss`() async throws {
        let name = try ObjectName("log/checkpoints/000")
        for seed in UInt64(0)..<20 {
            let disk = SimulatedDisk()
            let calls = FaultyCalls(disk)
            let first = try DirectoryStore(path: "/archive", creating: true, calls: calls)
            _ = try await first.replace(try ObjectName("log/checkpoints/first"), [1], expected: nil)
            try await first.synchronize()
            // The new file is durable and renamed. The process ends before the folder is durable.
            calls.reset([FaultyCalls.Fault(.synchronize, number: 2, kills: true)])
            await #expect(throws: ObjectStoreError.self) { _ = try await first.replace(name, [2], expected: nil) }
            let successor = disk.afterDeath()
            let second = try DirectoryStore(path: "/archive", creating: false, calls: successor)
            let error = await #expect(throws: ObjectStoreError.self) {
                _ = try await second.replace(name, [2], expected: nil)
            }
            #expect(error?.code == .changed)
            var generator = SeededGenerator(seed: seed)
            let third = try DirectoryStore(
                path: "/archive", creating: false, calls: successor.afterPowerLoss(&generator))
            #expect(try await third.read(name)?.bytes == [2])
        }
    }

    @Test func `an object exchanged in new folders remains after a power loss`() async throws {
        let name = try ObjectName("log/checkpoints/000")
        for seed in UInt64(0)..<20 {
            let disk = SimulatedDisk()
            let first = try DirectoryStore(path: "/archive", creating: true, calls: disk)
            _ = try await first.replace(name, [1], expected: nil)
            var generator = SeededGenerator(seed: seed)
            let second = try DirectoryStore(
                path: "/archive", creating: false, calls: disk.afterPowerLoss(&generator))
            #expect(try await second.read(name)?.bytes == [1])
        }
    }

    @Test func `a folder that was removed and reappears after a power loss accepts objects again`() async throws {
        let (kept, name) = (try ObjectName("log/kept"), try ObjectName("log/tile/000"))
        for seed in UInt64(0)..<20 {
            let disk = SimulatedDisk()
            let first = try DirectoryStore(path: "/archive", creating: true, calls: disk)
            try await first.create(kept, [1])
            try await first.create(name, [1])
            try await first.synchronize()
            try await first.delete(name)
            var generator = SeededGenerator(seed: seed)
            let successor = disk.afterPowerLoss(&generator)
            let second = try DirectoryStore(path: "/archive", creating: false, calls: successor)
            try await second.delete(name)
            try await second.create(name, [2])
            #expect(try await second.read(name)?.bytes == [2])
        }
    }

    /// Runs three writers one after another on the same disk.
    private func lives(_ seed: UInt64, losingPower: Bool) async throws {
        var generator = SeededGenerator(seed: seed)
        var disk = SimulatedDisk()
        var expected = Expectation()
        for life in 0..<3 {
            let number = Int.random(in: 1...120, using: &generator)
            let calls = FaultyCalls(disk, [FaultyCalls.Fault(nil, number: number, kills: true)])
            await live(life, calls, &expected, &generator)
            disk = losingPower ? disk.afterPowerLoss(&generator) : disk.afterDeath()
            guard try await check(disk, expected, losingPower: losingPower) else {
                Issue.record("seed \(seed), life \(life)")
                return
            }
            try await expected.read(disk)
        }
    }

    /// The objects that a writer expects on the disk.
    private struct Expectation {
        /// The objects that were created and synchronized, and have not been deleted since.
        var durable: [ObjectName: [UInt8]] = [:]
        /// The objects that were created but not synchronized, with their complete bytes.
        var created: [ObjectName: [UInt8]] = [:]
        /// The objects that were deleted without synchronization. Their bytes may still be present.
        var deleted: [ObjectName: [UInt8]] = [:]
        /// The last confirmed checkpoint, and the one being written.
        var checkpoint: [UInt8]?
        var attempted: [UInt8]?

        mutating func synchronized() {
            durable.merge(created) { $1 }
            created = [:]
            deleted = [:]
        }

        /// Resets the expectation to the content of the disk.
        mutating func read(_ disk: SimulatedDisk) async throws {
            self = Expectation()
            guard let store = try? DirectoryStore(path: "/archive", creating: false, calls: disk) else { return }
            for object in try await store.list(nil, after: nil, limit: .max) {
                let bytes = try await store.read(object.name)?.bytes ?? []
                if object.name.text == "log/checkpoint" { checkpoint = bytes } else { deleted[object.name] = bytes }
            }
        }
    }

    private func live(
        _ life: Int, _ calls: FaultyCalls, _ expected: inout Expectation, _ generator: inout SeededGenerator
    ) async {
        do {
            let store = try DirectoryStore(path: "/archive", creating: true, calls: calls)
            let checkpoint = try ObjectName("log/checkpoint")
            _ = try await store.lock(try ObjectName("log"))
            // As the next writer does, remove objects that may be incomplete.
            for name in expected.deleted.keys.sorted() { try await store.delete(name) }
            try await store.synchronize()
            expected.synchronized()
            var version = try await store.read(checkpoint)?.version
            for step in 0..<60 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<5:
                    let folder =
                        ["tile/0", "tile/0/x001", "segments", "tile/1/000.p"].randomElement(using: &generator) ?? ""
                    let name = try ObjectName("log/\(folder)/\(life)-\(step)")
                    let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { UInt8($0 + 1) }
                    expected.created[name] = bytes
                    try await store.create(name, bytes)
                case 5:
                    guard
                        let name = (expected.durable.keys.sorted() + expected.created.keys.sorted())
                            .randomElement(using: &generator)
                    else { continue }
                    let bytes = expected.durable.removeValue(forKey: name) ?? expected.created.removeValue(forKey: name)
                    expected.deleted[name] = bytes
                    try await store.delete(name)
                case 6, 7:
                    try await store.synchronize()
                    expected.synchronized()
                default:
                    let bytes = Array("checkpoint \(life) \(step)".utf8)
                    expected.attempted = bytes
                    version = try await store.replace(checkpoint, bytes, expected: version)
                    expected.checkpoint = bytes
                    expected.attempted = nil
                }
            }
        } catch {}
    }

    private func check(_ disk: SimulatedDisk, _ expected: Expectation, losingPower: Bool) async throws -> Bool {
        guard let store = try? DirectoryStore(path: "/archive", creating: false, calls: disk) else {
            // Nothing was confirmed as durable before the directory existed.
            return expected.durable.isEmpty && expected.checkpoint == nil
        }
        for (name, bytes) in expected.durable {
            let stored = try await store.read(name)?.bytes
            #expect(stored == bytes)
            if stored != bytes { return false }
        }
        for object in try await store.list(nil, after: nil, limit: .max) where object.name.text != "log/checkpoint" {
            let isKnown = [expected.durable, expected.created, expected.deleted].contains { $0[object.name] != nil }
            #expect(isKnown, "\(object.name) was deleted, and that was made durable")
            if !isKnown { return false }
        }
        let checkpoint = try await store.read(try ObjectName("log/checkpoint"))?.bytes
        let isRight = checkpoint == expected.checkpoint || checkpoint == expected.attempted
        #expect(isRight)
        guard !losingPower, isRight else { return isRight }
        // Without a power loss, only the object being written may be truncated.
        let cut = try await expected.created.asyncFilter { try await store.read($0.key)?.bytes != $0.value }
        #expect(cut.count <= 1)
        return cut.count <= 1
    }
}

extension Dictionary {
    fileprivate func asyncFilter(_ isIncluded: (Element) async throws -> Bool) async rethrows -> [Element] {
        var included: [Element] = []
        for element in self where try await isIncluded(element) { included.append(element) }
        return included
    }
}

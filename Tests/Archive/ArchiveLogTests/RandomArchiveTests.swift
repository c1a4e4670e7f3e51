import ArchiveLog
import Foundation
import KafkaModel
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

/// Archives with a checkpoint log and a retention, changed at random and copied at random times.
@Suite("Random changes and intermediate states of an archive") struct RandomArchiveTests {
    private static let count = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1" ? 10_000 : 80

    /// An archive that grows in rounds, as members of a group write it. In each round some logs grow, one log after
    /// another is opened again, segments are deleted, and the checkpoint log follows. One log fills bundles and
    /// segments; the others stay small, because verifying leaves takes most of the time.
    private struct Growing {
        let recorder = RecordingStore()
        let archive: SampleArchive
        /// The checkpoint of the checkpoint log after each round, and the number of operations up to then.
        private(set) var rounds: [(operations: Int, note: SignedNote)] = []

        init(rounds count: Int, _ generator: inout SeededGenerator) async throws {
            archive = try SampleArchive(store: recorder)
            let large = Int.random(in: 0..<3, using: &generator)
            for round in 0..<count {
                let time = 1_800_000_000 + round * 60
                for partition in 0..<3 where Int.random(in: 0..<3, using: &generator) > 0 {
                    let names = try archive.names("appstore.notifications", KafkaPartition(rawValue: Int32(partition)))
                    let most = partition == large ? 140 : 12
                    let sizes = (0..<2).map { _ in Int.random(in: 1...most, using: &generator) }
                    let writer = try await archive.write(sizes, to: names, at: time)
                    guard round % 3 == 2, writer.size > 512 else { continue }
                    try await archive.prune(archivedBefore: SampleArchive.start + 256, size: writer.size, of: names)
                }
                let note = try await archive.logCheckpoints(at: time)
                rounds.append((recorder.history.count, note))
            }
        }

        /// Returns the checkpoint anchored at the given time; nil before the first.
        func anchor(at moment: Int) -> SignedNote? { rounds.last { $0.operations <= moment }?.note }
    }

    @Test func `a growing archive is never reported as changed, with only the key or with an anchor`()
        async throws
    {
        var generator = SeededGenerator(seed: 31)
        var images = 0
        while images < Self.count {
            let growing = try await Growing(rounds: 6, &generator)
            for _ in 0..<40 {
                let moment = Int.random(in: 1...growing.recorder.history.count, using: &generator)
                let store = MemoryStore(growing.recorder.objects(at: moment))
                let report = try await growing.archive.verify(store)
                #expect(report.findings.isEmpty, "after \(moment) operations")
                images += 1
                guard let anchor = growing.anchor(at: moment) else { continue }
                let anchored = try await growing.archive.verify(store) {
                    $0.anchors = try growing.archive.anchors([anchor])
                }
                // A log created since the last round is not in any anchor yet.
                #expect(anchored.findings.allSatisfy { $0.kind == .unanchored }, "after \(moment) operations")
            }
        }
    }

    @Test func `a rolled back or removed log is detected without an anchor, and an archive with one`() async throws {
        var generator = SeededGenerator(seed: 32)
        var changes = 0
        while changes < Self.count {
            let growing = try await Growing(rounds: 5, &generator)
            let whole = growing.recorder.objects(at: growing.recorder.history.count)
            let anchors = try growing.archive.anchors([try #require(growing.rounds.last).note])
            for _ in 0..<20 {
                changes += 1
                let round = Int.random(in: 0..<growing.rounds.count - 1, using: &generator)
                let earlier = growing.recorder.objects(at: growing.rounds[round].operations)
                let log = "appstore.notifications/\(Int.random(in: 0..<3, using: &generator))/"
                let isRemoved = Bool.random(using: &generator)
                let older = isRemoved ? [:] : earlier.filter { $0.key.hasPrefix(log) }
                let changed = whole.filter { !$0.key.hasPrefix(log) }.merging(older) { $1 }
                guard changed["\(log)checkpoint"] != whole["\(log)checkpoint"],
                    Self.size(changed, log) != Self.size(whole, log)
                else { continue }
                let alone = try await growing.archive.verify(MemoryStore(changed))
                #expect(alone.verdict == .rolledBack, "\(log) of round \(round), removed: \(isRemoved)")
                let anchored = try await growing.archive.verify(MemoryStore(earlier)) { $0.anchors = anchors }
                #expect(anchored.verdict == .rolledBack, "all objects of round \(round)")
                // Without an anchor the rollback cannot be detected.
                #expect(try await growing.archive.verify(MemoryStore(earlier)).findings.isEmpty)
            }
        }
    }

    @Test func `several simultaneous changes are detected, with only the key and with an anchor`() async throws {
        var generator = SeededGenerator(seed: 33)
        let growing = try await Growing(rounds: 5, &generator)
        let whole = growing.recorder.objects(at: growing.recorder.history.count)
        let anchors = try growing.archive.anchors([try #require(growing.rounds.last).note])
        // The writer's own object is not part of a tree, and clients do not need a superfluous copy.
        let names = whole.keys.sorted().filter { $0 != "checkpoint-log/pending" }
        var found = 0
        while found < Self.count {
            var objects = whole
            var changed: Set<String> = []
            var changes: [String] = []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                guard let name = names.randomElement(using: &generator),
                    let change = TamperingTests.Change.allCases.randomElement(using: &generator),
                    let next = TamperingTests.apply(change, to: name, in: objects, &generator)
                else { continue }
                objects = next.objects
                changed.formUnion(next.names)
                changes.append("\(change.rawValue) \(name)")
            }
            changed = changed.filter { objects[$0] != whole[$0] && !Self.isNewestCopy($0, in: whole) }
            guard !changed.isEmpty else { continue }
            found += 1
            for options in [nil, anchors] {
                let report = try await growing.archive.verify(MemoryStore(objects)) { $0.anchors = options }
                let isFound = report.verdict == .tampered || report.verdict == .rolledBack
                #expect(isFound, "\(report.verdict.map { "\($0)" } ?? "sound") after \(changes)")
            }
        }
    }

    private static func size(_ objects: [String: [UInt8]], _ log: String) -> Int? {
        objects["\(log)checkpoint"].flatMap { try? SignedNote(bytes: $0) }.flatMap {
            try? Checkpoint(text: $0.text).size
        }
    }

    /// Whether a copy belongs to the newest checkpoint, which may not have been written yet.
    private static func isNewestCopy(_ name: String, in objects: [String: [UInt8]]) -> Bool {
        guard let end = name.range(of: "/checkpoints/") else { return false }
        return name == objects.keys.filter { $0.hasPrefix(name[..<end.upperBound]) }.max()
    }
}

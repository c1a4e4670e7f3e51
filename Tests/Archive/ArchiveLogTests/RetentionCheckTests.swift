import AppStoreModel
import ArchiveLog
import Cryptography
import KafkaModel
import Testing

/// An auditor's conclusions about deleted segments, from the archived retention records.
struct RetentionCheckTests {
    static let day: Int64 = 86_400_000
    static let start: Int64 = 1_800_000_000_000
    static let origin = "example.com/archive/appstore.notifications.production/0"
    /// Segments 0 and 1, archived at the start.
    private static let segments = [0, 1].map { DeletedSegment(index: $0, newestArchivedAt: start) }

    /// Creates a step on a given day after the start.
    struct Step {
        var action = RetentionRecord.Action.delete
        var day: Int64
        var minimum = 512
        var announced: Int?
        var kept: [Range<Int>]? = []
        var origin = RetentionCheckTests.origin
        /// Number of days by which the record is older than the time in it.
        var postdated: Int64 = 0
    }

    private func findings(_ steps: [Step], isComplete: Bool = true) throws -> [Finding] {
        var check = RetentionCheck(retention: 400 * Self.day)
        check.isComplete = isComplete
        for (offset, step) in steps.enumerated() {
            let at = Self.start + step.day * Self.day
            let leaf = try ArchiveLeaf(
                position: ArchivePosition(
                    kind: .erasure, clusterId: "c", topic: "appstore.erasures", partition: 0,
                    offset: KafkaOffset(rawValue: Int64(offset))),
                timestampMilliseconds: at - step.postdated * Self.day,
                archivedAtMilliseconds: at - step.postdated * Self.day + 5_000, key: nil, objectLength: 1,
                objectDigest: SHA256.digest(of: [1]))
            check.add(
                RetentionRecord(
                    action: step.action, origin: step.origin, minimum: step.minimum, announced: step.announced,
                    kept: step.kept,
                    archivedBefore: AppStoreInstant(clampingMillisecondsSince1970: at - 400 * Self.day),
                    at: AppStoreInstant(clampingMillisecondsSince1970: at)), leaf)
        }
        let log = try LogNames(KafkaTopicPartition(topic: "appstore.notifications.production", partition: 0))
        return check.findings(Self.segments, of: log, origin: Self.origin)
    }

    static func announce(_ day: Int64, _ end: Int = 512) -> Step {
        Step(action: .announce, day: day, minimum: 0, announced: end)
    }

    @Test func `a deletion of old segments a day after its announcement has no findings`() throws {
        #expect(try findings([Self.announce(400), Step(day: 401)]).isEmpty)
        // An announcement of the next segments in a deleting step is valid too.
        #expect(
            try findings([
                Self.announce(400, 256), Step(day: 401, minimum: 256, announced: 512), Step(day: 402),
            ]).isEmpty)
        #expect(try findings([Self.announce(400), Step(day: 401, kept: nil)]).isEmpty, "a step without the list")
    }

    @Test func `a missing segment without a deletion record is incomplete`() throws {
        for steps in [
            [], [Self.announce(400)], [Self.announce(400), Step(day: 401, origin: "example.com/archive/other/0")],
        ] {
            #expect(try findings(steps).map(\.kind) == [.incomplete, .incomplete])
        }
        let half = try findings([Self.announce(400), Step(day: 401, minimum: 256)])
        #expect(half.map(\.kind) == [.incomplete] && half.first?.leaf == 256)
        #expect(try findings([], isComplete: false).first?.message.contains("could not be read") == true)
    }

    @Test(
        arguments: [
            ("too young", [announce(398), Step(day: 399)]), ("never announced", [Step(day: 401)]),
            ("announced half a step before", [announce(401), Step(day: 401)]),
            ("announced afterwards", [Step(day: 401), announce(402)]),
            ("announced too little", [announce(400, 0), Step(day: 401)]),
            ("kept by the step", [announce(400), Step(day: 401, kept: [0..<2])]),
            ("kept by a later step", [announce(400), Step(day: 401), Step(day: 402, kept: [0..<1, 1..<2])]),
            ("a later time than its record", [announce(300), Step(day: 401, postdated: 100)]),
        ] as [(String, [Step])]) func `a deletion that violates the policy is tampering`(
            name: String, steps: [Step]
        ) throws
    {
        #expect(try findings(steps).map(\.kind) == [.tampered, .tampered], "\(name)")
    }

    @Test func `a segment is deleted by a later step after its hold ended`() throws {
        let steps = [Self.announce(400), Step(day: 401, kept: [0..<1]), Step(day: 500)]
        #expect(try findings(steps).isEmpty)
        #expect(try findings(Array(steps.prefix(2))).map(\.leaf) == [0])
    }
}

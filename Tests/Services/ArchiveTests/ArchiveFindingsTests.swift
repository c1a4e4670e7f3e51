import ArchiveLog
import Kafka
import OperatorEventsTestSupport
import Testing

@testable import Archive

/// The operator events about logs of the archive.
@Suite struct ArchiveFindingsTests {
    private static let place = KafkaTopicPartition(topic: "appstore.notifications.production", partition: 7)
    private let recorded = RecordedEvents()
    private let findings: ArchiveFindings

    init() { findings = ArchiveFindings(recorded.events) }

    @Test func `a log that was rolled back is one finding until it is written again`() {
        let error = ArchiveError(.rolledBack, "the log ends at leaf 3, but leaf 9 was signed")
        let line =
            "archive.finding \(Self.place) "
            + #"{"reason":"rolled_back","detail":"the log ends at leaf 3, but leaf 9 was signed"}"#
        for _ in 0..<3 { findings.failed(Self.place, error) }
        #expect(recorded.lines == [line])
        findings.written(Self.place)
        findings.failed(Self.place, error)
        #expect(recorded.lines == [line, line])
    }

    @Test(arguments: [ArchiveError.Code.storage, .full, .locked, .keyStore, .signing])
    func `a failure of the storage or the keys is not a finding`(_ code: ArchiveError.Code) {
        findings.failed(Self.place, ArchiveError(code, "failed"))
        #expect(recorded.lines == [])
    }

    @Test func `a different reason or log is a separate finding`() {
        findings.failed(Self.place, ArchiveError(.damaged, "a"))
        findings.failed(Self.place, ArchiveError(.forked, "b"))
        findings.failed(KafkaTopicPartition(topic: "appstore.quarantine", partition: 0), ArchiveError(.forked, "b"))
        #expect(recorded.lines.count == 3)
    }

    @Test(
        arguments: [
            (ArchiveServiceError.Code.refused, "anchor_refused"), (.conflict, "anchor_conflict"),
        ])
    func `an anchor that refuses or contradicts a checkpoint is one finding until it accepts one`(
        _ code: ArchiveServiceError.Code, _ reason: String
    ) {
        let line =
            "archive.finding \(Self.place) "
            + #"{"reason":"\#(reason)","detail":"the anchor has 9 leaves","anchor":"store"}"#
        for _ in 0..<3 { findings.failed("store", Self.place, ArchiveServiceError(code, "the anchor has 9 leaves")) }
        #expect(recorded.lines == [line])
        findings.written(Self.place)
        findings.anchored("w1", Self.place)
        findings.failed("store", Self.place, ArchiveServiceError(code, "the anchor has 9 leaves"))
        #expect(recorded.lines == [line], "neither the log nor another anchor ends it")
        findings.anchored("store", Self.place)
        findings.failed("store", Self.place, ArchiveServiceError(code, "the anchor has 9 leaves"))
        #expect(recorded.lines == [line, line])
    }

    @Test(arguments: [ArchiveServiceError.Code.unavailable, .answer, .archive, .anchorUnreachable])
    func `an anchor that cannot be reached is no finding`(_ code: ArchiveServiceError.Code) {
        findings.failed("store", Self.place, ArchiveServiceError(code, "failed"))
        #expect(recorded.lines == [])
    }

    @Test func `payloads that cannot be deleted, or are overdue, are one finding each until they are deleted`() {
        let lines = [
            #"archive.finding \#(Self.place) {"reason":"retention_failed","detail":"the store is full"}"#,
            #"archive.finding \#(Self.place) {"reason":"retention_overdue","detail":"leaf 0 expired"}"#,
        ]
        for _ in 0..<2 {
            for _ in 0..<2 {
                findings.notDeleted(Self.place, ArchiveError(.full, "the store is full"))
                findings.overdue(Self.place, "leaf 0 expired")
            }
            findings.deleted(Self.place)
            findings.overdue(Self.place, nil)
        }
        #expect(recorded.lines == lines + lines)
    }

    @Test func `records that Kafka deleted are one finding for each gap`() {
        for _ in 0..<2 { findings.missing(Self.place, 3..<7) }
        findings.missing(Self.place, 9..<10)
        #expect(
            recorded.lines == [
                #"archive.finding \#(Self.place) {"reason":"missing_records","firstMissing":3,"lastMissing":6}"#,
                #"archive.finding \#(Self.place) {"reason":"missing_records","firstMissing":9,"lastMissing":9}"#,
            ])
    }
}

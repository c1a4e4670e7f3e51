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

import ArchiveLog
import ObjectStorage
import Testing

@Suite("Errors of the archive") struct ArchiveErrorTests {
    /// The values of the label `reason` in `deploy/README.md`.
    @Test func `failures to write a log have the reasons of the metric`() {
        let reasons = [
            "begin_refused", "checkpoint_missing", "damaged", "forked", "full", "key_store", "locked", "other_writer",
            "rolled_back", "signing", "storage", "unknown_key",
        ]
        #expect(ArchiveError.Code.writing.map(\.rawValue).sorted() == reasons)
    }

    @Test(arguments: ArchiveError.Code.allCases)
    func `each code belongs to the logs, to the formats or to the keys`(code: ArchiveError.Code) {
        let isInLogs = ArchiveError.Code.writing.contains(code) || ArchiveError.Code.reading.contains(code)
        let groups = [isInLogs, ArchiveError.Code.formats.contains(code), ArchiveError.Code.keys.contains(code)]
        #expect(groups.count { $0 } == 1)
    }

    @Test func `the description names the object, or the code of an error of the formats`() throws {
        let name = try ObjectName("appstore.notifications/0/checkpoint")
        #expect(
            "\(ArchiveError(.missingObject, "the object is missing", object: name))"
                == "appstore.notifications/0/checkpoint: the object is missing")
        #expect("\(ArchiveError(.malformedLeaf, "it is empty"))" == "it is empty (malformedLeaf)")
        #expect("\(ArchiveError(.malformedContent, "not a gap"))" == "not a gap (malformedObject)")
        #expect("\(ArchiveError(.otherWriter, "another process writes"))" == "another process writes")
    }

    @Test func `only a signed state that is gone needs an operator`() {
        let codes = ArchiveError.Code.allCases.filter { ArchiveError($0, "").needsOperator }
        #expect(Set(codes) == [.checkpointMissing, .beginRefused, .rolledBack, .forked])
    }
}

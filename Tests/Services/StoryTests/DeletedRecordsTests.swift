import KafkaModel
import Testing

@testable import Story

/// The gap for records that Kafka has deleted.
@Suite struct DeletedRecordsTests {
    @Test func `partitions with deleted records are listed in one gap`() {
        let gap = DeletedRecords([0: 0, 2: 17, 1: 5]).gap(in: "input", hasArchive: false)
        #expect(
            gap?.what == "Kafka has deleted records of input, in partitions 1 before offset 5, 2 before offset 17")
        #expect(DeletedRecords([0: 0, 1: 0]).gap(in: "input", hasArchive: false) == nil)
        #expect(DeletedRecords([:]).gap(in: "input", hasArchive: false) == nil)
    }

    @Test func `archived records are mentioned only if they were read`() {
        let deleted = DeletedRecords([1: 5])
        #expect(deleted.gap(in: "input", hasArchive: true)?.what.hasSuffix("; archived records were read") == true)
        #expect(deleted.gap(in: "input", hasArchive: false)?.what.contains("archived") == false)
    }
}

import Foundation
import Testing

/// The table of refusals and their consequences in `deploy/README.md`: a test must provoke each row.
@Suite struct RefusalTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    /// The beginning of each row, with the file and the name of its test.
    private static let tests: [(row: String, file: String, test: String)] = [
        (
            "a record: its handler refuses it", "Pipeline/PipelineRuntimeTests/PipelineConsumerTests.swift",
            "a poison record is dead-lettered and does not block"
        ),
        (
            "a dead letter is too large", "Pipeline/PipelineRuntimeTests/LargeDeadLetterTests.swift",
            "a dead letter that is too large is written without its value, and the next record is handled"
        ),
        (
            "a dead letter of an old record", "Pipeline/PipelineRuntimeTests/RefusedDeadLetterTests.swift",
            "the dead letter of an old record has the time of writing, and the record's own time in a header"
        ),
        (
            "a dead letter without a key", "Pipeline/PipelineRuntimeTests/RefusedDeadLetterTests.swift",
            "the dead letter of a record without a key has its source position as key if the topic requires one"
        ),
        (
            "every dead letter", "Pipeline/PipelineRuntimeTests/PipelineConsumerTests.swift",
            "the offset waits for the dead letter's acknowledgement"
        ),
        (
            "a row of the state is too large", "Pipeline/KeyedStateTests/StateRefusalTests.swift",
            "the record of an oversized state is dead-lettered, and others of its batch are done"
        ),
        (
            "a row of the state, for another reason", "Pipeline/KeyedStateTests/StateRefusalTests.swift",
            "a row that is refused on its own is kept, counted, and published on a later attempt"
        ),
        (
            "an old erasure", "Pipeline/KeyedStateTests/StateRefusalsOnApacheKafkaTests.swift",
            "an old erasure is published with its effective time where old timestamps are refused"
        ),
        (
            "every row", "Pipeline/KeyedStateTests/StateRefusalTests.swift",
            "a transient failure is not a refusal"
        ),
        (
            "a webhook by its receiver, this record alone", "Services/WebhooksTests/HandlerTests.swift",
            "a failing record is dead-lettered although no other record is left to be accepted"
        ),
        (
            "every webhook by its receiver", "Services/WebhooksTests/HandlerTests.swift",
            "no record is dead-lettered while the receiver fails every request, however long"
        ),
        (
            "a webhook with certificates", "Services/WebhooksTests/NotificationContentTests.swift",
            "a record with lost certificates is logged, and dead-lettered after a complete reading of their topic"
        ),
        (
            "a batch of a topic is damaged", "Pipeline/KeyedStateTests/StateFailureTests.swift",
            "a permanent failure of the reader ends the process"
        ),
        (
            "the state's database", "EndToEnd/EndToEndTests/Faults/ConsumerSinkTests.swift",
            "a full disk makes the changelog reader wait, and loses nothing"
        ),
    ]

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    private func rows() throws -> [String] {
        let lines = try text("deploy/README.md").split(separator: "\n", omittingEmptySubsequences: false)
        let section = try #require(lines.firstIndex { $0 == "### What is refused, and what happens then" })
        return lines[section...].drop { !$0.hasPrefix("| --- ") }.dropFirst().prefix { $0.hasPrefix("| ") }
            .map { String($0.dropFirst(2)) }
    }

    @Test func `each row has a test, and each test has a row`() throws {
        let rows = try rows()
        #expect(rows.count == Self.tests.count)
        for row in rows {
            #expect(Self.tests.count { row.hasPrefix($0.row) } == 1, "\(row)")
        }
        for entry in Self.tests {
            #expect(try text("Tests/\(entry.file)").contains("func `\(entry.test)`"), "\(entry.test)")
        }
    }

    @Test func `each alert and page named in a row exists`() throws {
        let alerts = try text("deploy/alerts.yml")
        for row in try rows() {
            for match in row.matches(of: /Sluice[A-Z][A-Za-z]+/) {
                #expect(alerts.contains("- alert: \(match.output)\n"), "\(match.output)")
            }
            for match in row.matches(of: /\((runbooks\/[a-z-]+\.md)\)/) {
                #expect(
                    FileManager.default.fileExists(atPath: Self.root.appending(path: "deploy/\(match.output.1)").path),
                    "\(match.output.1)")
            }
        }
    }
}

import JSONTestSupport
import Kafka
import TestSupport
import Testing

@testable import PipelineRuntime

/// The value of the control topic, as described by `deploy/control-record.schema.json`.
@Suite struct ControlRecordTests {
    private static let paused =
        #"{"version":1,"state":"paused","reason":"wrong consent service","author":"ann","at":"2026-11-27T09:00:00.000Z"}"#
    private static let running = #"{"version":1,"state":"running","author":"bob","at":"2026-11-27T10:30:00.000Z"}"#

    private func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }

    @Test(arguments: [paused, running])
    func `a record is written as it is read, and conforms to the schema`(_ json: String) throws {
        let record = try ControlRecord(json: Array(json.utf8))
        #expect(text(record.json) == json)
        #expect(try JSONSchema.deployed("control-record.schema.json").faults(in: record.json) == [])
    }

    @Test func `a record contains who paused the group, when and why`() throws {
        let record = try ControlRecord(json: Array(Self.paused.utf8))
        // 2026-11-27T09:00:00Z, from date -d 2026-11-27T09:00:00Z +%s.
        #expect(record.atMilliseconds == 1_795_770_000_000)
        #expect("\(record)" == "paused by ann since 2026-11-27T09:00:00.000Z: wrong consent service")
        let running = try ControlRecord(json: Array(Self.running.utf8))
        #expect("\(running)" == "running by bob since 2026-11-27T10:30:00.000Z")
    }

    @Test func `members of later versions are ignored`() throws {
        let extended = Self.paused.dropLast() + #","until":"2026-11-28T00:00:00Z","notes":[{}]}"#
        #expect(try ControlRecord(json: Array(extended.utf8)) == ControlRecord(json: Array(Self.paused.utf8)))
    }

    /// Values that the schema also rejects.
    @Test(arguments: [
        "", "null", "[]", "\"paused\"", "{}", paused.replacing("1,", with: "2,"),
        paused.replacing("paused", with: "stopped"), paused.replacing(#""state":"paused","#, with: ""),
        paused.replacing("wrong consent service", with: ""), paused.replacing(#""author":"ann","#, with: ""),
        paused.replacing("ann", with: ""), paused.replacing(#""ann""#, with: "7"),
        paused.replacing("ann", with: #"a\nready"#),
        paused.replacing(#""reason":"wrong consent service""#, with: #""reason":null"#),
        paused.replacing(#""2026-11-27T09:00:00.000Z""#, with: "1795770000000"),
    ])
    func `other values are rejected`(_ json: String) throws {
        #expect(throws: ControlRecordError.self) { try ControlRecord(json: Array(json.utf8)) }
        #expect(try !JSONSchema.deployed("control-record.schema.json").faults(in: Array(json.utf8)).isEmpty)
    }

    @Test(arguments: [
        paused.replacing("2026-11-27T09:00:00.000Z", with: "yesterday"),
        paused.replacing("2026-11-27T09:00:00.000Z", with: "2026-13-27T09:00:00Z"),
        paused.replacing("ann", with: "a\\u202Eb"),
    ])
    func `nonexistent times and text that reorders a line are rejected`(_ json: String) {
        #expect(throws: ControlRecordError.self) { try ControlRecord(json: Array(json.utf8)) }
    }

    @Test func `long texts and deep or large values are rejected`() {
        let large = Self.paused.dropLast() + #","x":""# + String(repeating: "x", count: 20_000) + #""}"#
        let long = Self.paused.replacing("ann", with: String(repeating: "a", count: 257))
        for json in [long, String(repeating: "[", count: 10_000), String(large)] {
            #expect(throws: ControlRecordError.self) { try ControlRecord(json: Array(json.utf8)) }
        }
    }
}

/// The records in effect.
@Suite struct ControlTableTests {
    private static let control: KafkaTopic = "test.control"
    private static let paused = ControlRecord(state: .paused, reason: "why", author: "ann", atMilliseconds: 1)
    private static let running = ControlRecord(state: .running, reason: "", author: "bob", atMilliseconds: 2)

    private func record(_ key: [UInt8]?, _ value: [UInt8]?) -> KafkaRecord {
        KafkaRecord(topic: Self.control, partition: 0, offset: 0, key: key, value: value, headers: [])
    }

    private func record(_ group: KafkaConsumerGroup, _ value: ControlRecord?) -> KafkaRecord {
        record(Array(group.rawValue.utf8), value?.json)
    }

    @Test func `the last record of a group is in effect`() throws {
        var table = ControlTable()
        #expect(table.pause(of: "a") == nil)
        try table.apply(record("a", Self.paused))
        try table.apply(record("b", Self.running))
        #expect(table.pause(of: "a") == Self.paused && table.pause(of: "b") == nil)
        try table.apply(record("a", Self.running))
        #expect(table.pause(of: "a") == nil && table.records["a"] == Self.running)
        try table.apply(record("a", Self.paused))
        #expect(table.pause(of: "a") == Self.paused)
    }

    @Test func `a tombstone resumes its group`() throws {
        var table = ControlTable()
        try table.apply(record("a", Self.paused))
        try table.apply(record("a", nil))
        #expect(table.records.isEmpty)
    }

    @Test func `a damaged record neither pauses nor resumes`() throws {
        var table = ControlTable()
        try table.apply(record("a", Self.paused))
        let value = try #require(Self.running).json
        for damaged in [
            record(Array("a".utf8), [0xFF]), record(Array("a".utf8), []), record(nil, value), record([], value),
            record([0xC3, 0x28], value), record(Array(repeating: 0x61, count: 2000), value), record(nil, nil),
        ] {
            #expect(throws: ControlRecordError.self) { try table.apply(damaged) }
        }
        #expect(table.records == ["a": try #require(Self.paused)])
    }

    @Test func `a bounded table keeps only its groups`() throws {
        var table = ControlTable(only: ["a"])
        try table.apply(record("a", Self.paused))
        for number in 0..<100 { try table.apply(record(KafkaConsumerGroup(rawValue: "g\(number)"), Self.paused)) }
        #expect(Array(table.records.keys) == ["a"])
        #expect(throws: ControlRecordError.self) { try table.apply(record(Array("other".utf8), [1])) }
    }
}

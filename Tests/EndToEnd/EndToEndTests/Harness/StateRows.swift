import Foundation
import Kafka
import TestSupport
import Testing

/// Many rows of the entitlements topic, derived from a few rows that a member published. Each has different identifiers
/// and another account.
struct StateRows {
    private struct Template {
        let key: [UInt8]
        let value: [UInt8]
        /// End positions of decimal identifiers in the value.
        let numbers: [Int]
        /// Start positions of accounts in the value.
        let accounts: [Int]
    }

    private let templates: [Template]
    private let topic: KafkaTopic

    /// - Parameter records: records of the topic.
    init(like records: [KafkaRecord], in topic: KafkaTopic) throws {
        self.topic = topic
        var last: [[UInt8]: [UInt8]] = [:]
        for record in records { record.key.map { last[$0] = record.value } }
        templates = try last.map { key, value in
            let object = try #require(JSON.object(value))
            let numbers = ["originalTransactionId", "appTransactionId"].compactMap { object.text($0) }
            return Template(
                key: key, value: value, numbers: numbers.flatMap { Self.ranges(of: $0, in: value).map(\.upperBound) },
                accounts: object.text("appAccountToken").map { Self.ranges(of: $0, in: value).map(\.lowerBound) } ?? [])
        }
        try #require(!templates.isEmpty)
    }

    private static func ranges(of text: String, in value: [UInt8]) -> [Range<Int>] {
        let (data, pattern) = (Data(value), Data(text.utf8))
        var ranges: [Range<Int>] = []
        var start = 0
        while let range = data.range(of: pattern, in: start..<data.count) {
            ranges.append(range)
            start = range.upperBound
        }
        return ranges
    }

    func record(_ number: Int) -> KafkaProducerRecord {
        let template = templates[number % templates.count]
        var (key, value) = (template.key, template.value)
        let digits = Self.digits(of: number)
        key.replaceSubrange(key.count - digits.count..<key.count, with: digits)
        for end in template.numbers { value.replaceSubrange(end - digits.count..<end, with: digits) }
        // Accounts are not ordered.
        let account = Self.digits(of: Int((UInt64(number) &* 0x9E37_79B9_7F4A_7C15) % 100_000_000))
        for start in template.accounts { value.replaceSubrange(start..<start + account.count, with: account) }
        return KafkaProducerRecord(topic: topic, key: key, value: value)
    }

    /// Returns eight digits that every identifier contains.
    private static func digits(of number: Int) -> [UInt8] {
        var (digits, rest) = ([UInt8](repeating: UInt8(ascii: "0"), count: 8), number)
        for index in digits.indices.reversed() {
            digits[index] += UInt8(rest % 10)
            rest /= 10
        }
        return digits
    }

    /// Writes a number of rows.
    func write(_ count: Int, to broker: Broker) async throws {
        let producer = try KafkaProducer(broker.configuration, topics: [topic])
        for start in stride(from: 0, to: count, by: 5_000) {
            try await withThrowingTaskGroup { group in
                for number in start..<min(count, start + 5_000) {
                    group.addTask { _ = try await producer.send(record(number), deadline: .seconds(60)) }
                }
                try await group.waitForAll()
            }
        }
        await producer.close(within: .seconds(5))
    }
}

extension ChildProcess {
    /// The processor time of the process, in user and kernel mode.
    var processorTime: Duration? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return nil }
        // The name may contain blanks and ends at the last parenthesis. The fields after it are numbered from 3.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return nil }
        return .seconds(1) * (user + system) / sysconf(Int32(_SC_CLK_TCK))
    }
}

import AppStoreModel
import Foundation
import Kafka

/// The last value of each key in an entitlements topic. It is read incrementally.
struct LastStates {
    private let broker: Broker
    private var next: [KafkaTopicPartition: KafkaOffset]
    /// `nil` for a tombstone.
    private(set) var values: [String: [UInt8]?] = [:]

    init(_ broker: Broker) async throws {
        self.broker = broker
        next = try await broker.withAdmin {
            try await $0.watermarks(of: broker.entitlements(.production)).mapValues(\.low)
        }
    }

    /// Reads everything published since the last call.
    mutating func read() async throws {
        var read: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(try broker.configuration, from: next, within: .seconds(60)) { read += $0 }
        for record in read {
            let partition = KafkaTopicPartition(topic: record.topic, partition: record.partition)
            next[partition] = KafkaOffset(rawValue: record.offset.rawValue + 1)
            values[String(decoding: record.key ?? [], as: UTF8.self)] = .some(record.value)
        }
    }

    /// Compares with a topic derived from the same notifications: returns the keys with different values, and the names
    /// of the differing members.
    ///
    /// The time of writing may differ: `asOf`, and the second half of `version`. The first half, the newest signing
    /// time, does not depend on the order of the notifications.
    func differences(from other: LastStates) -> [String: [String]] {
        var differences: [String: [String]] = [:]
        for key in Set(values.keys).union(other.values.keys) {
            let names = Self.members(values[key] ?? nil, otherThan: other.values[key] ?? nil)
            if !names.isEmpty { differences[key] = names }
        }
        return differences
    }

    private static func members(_ value: [UInt8]?, otherThan other: [UInt8]?) -> [String] {
        guard let value, let other else { return value == other ? [] : ["absent"] }
        guard let one = members(value), let two = members(other) else { return ["unreadable"] }
        return Set(one.keys).union(two.keys).filter { one[$0] != two[$0] }.sorted()
    }

    /// Returns the members of a value as text, by name.
    private static func members(_ value: [UInt8]) -> [String: String]? {
        guard var object = (try? JSONSerialization.jsonObject(with: Data(value))) as? [String: Any] else { return nil }
        object["asOf"] = nil
        if let version = object["version"] as? String { object["version"] = String(version.prefix { $0 != "-" }) }
        return object.mapValues { value in
            let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
            let data = try? JSONSerialization.data(withJSONObject: value, options: options)
            return String(decoding: data ?? Data("\(value)".utf8), as: UTF8.self)
        }
    }
}

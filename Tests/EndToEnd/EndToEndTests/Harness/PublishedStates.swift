import AppStoreModel
import Foundation
import Kafka

/// The successive states of each purchase in the entitlements topic, read as they are published.
struct PublishedStates {
    private let broker: Broker
    private var next: [KafkaTopicPartition: KafkaOffset]
    /// By originalTransactionId; repeated states are listed once.
    private(set) var all: [String: [String]] = [:]
    private(set) var records = 0

    init(_ broker: Broker) async throws {
        self.broker = broker
        next = try await broker.withAdmin {
            try await $0.watermarks(of: broker.entitlements(.production)).mapValues(\.low)
        }
    }

    var last: [String: String] { all.compactMapValues(\.last) }

    /// Reads everything published since the last call.
    mutating func read() async throws {
        var read: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(try broker.configuration, from: next, within: .seconds(60)) { read += $0 }
        for record in read {
            let partition = KafkaTopicPartition(topic: record.topic, partition: record.partition)
            next[partition] = KafkaOffset(rawValue: record.offset.rawValue + 1)
            let purchase = record.key.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "/").last }
            guard let purchase, let value = record.value.flatMap({ JSON.object($0) }) else { continue }
            records += 1
            let states = (value.objects("grants") + value.objects("inactive")).compactMap { $0.text("state") }
            let state = states.joined(separator: " and ")
            if all[String(purchase)]?.last != state { all[String(purchase), default: []].append(state) }
        }
    }
}

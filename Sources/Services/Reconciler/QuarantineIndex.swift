internal import AppStoreModel
internal import Cryptography
internal import JSON
internal import Kafka
internal import Reconciliation
internal import Records

/// The notifications in the quarantine topic, from all writers. A notification in this topic does not count as missing
/// and is not quarantined again. The topic is read only when a sweep finds a notification to quarantine, which is rare.
struct QuarantineIndex: Sendable {
    let topics: TopicNames
    let kafka: KafkaConfiguration
    /// The time limit for reading the topic.
    var limit = Duration.seconds(600)

    /// - Throws: a `KafkaError`.
    func marks() async throws -> Set<NotificationMark> {
        let admin = try KafkaAdmin(kafka)
        let places: [KafkaTopicPartition]
        do {
            places = Array(try await admin.watermarks(of: topics.quarantine).keys)
        } catch {
            await admin.close(within: .seconds(1))
            throw error
        }
        await admin.close(within: .seconds(1))
        var marks: Set<NotificationMark> = []
        let beginnings = Dictionary(uniqueKeysWithValues: places.map { ($0, KafkaOffset.beginning) })
        try await KafkaConsumer.readToEnd(kafka, from: beginnings, within: limit) { records in
            for record in records { marks.formUnion(Self.marks(of: record)) }
        }
        return marks
    }

    /// Returns the marks that a sweep may use for the notification in a record.
    static func marks(of record: KafkaRecord) -> [NotificationMark] {
        if let id = record.key.flatMap({ String(validating: $0, as: UTF8.self) }) { return [NotificationMark(of: id)] }
        guard let value = record.value else { return [] }
        let text = signedPayload(in: value)
        guard let dot = text.lastIndex(of: UInt8(ascii: ".")) else { return [] }
        return [
            NotificationMark(of: String(decoding: text, as: UTF8.self)),
            FoundNotification.mark(ofSignedPart: SHA256.digest(of: Array(text[..<dot])).bytes),
        ]
    }

    /// Returns the compact JWS in a received body. A value from Apple's history is already a compact JWS.
    private static func signedPayload(in value: [UInt8]) -> [UInt8] {
        (try? JSONDocument.object(value))?.root["signedPayload"]?.string.map { Array($0.utf8) } ?? value
    }
}

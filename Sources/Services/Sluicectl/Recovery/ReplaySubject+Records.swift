internal import AppStoreModel
internal import JSON
internal import Kafka
internal import Primitives
internal import Records

/// Reads the properties of records from their headers and, for quarantined ones, from the body.
extension ReplaySubject {
    private static let namespace = "com.apple.appstore."

    /// Creates the subject for a notification record.
    init(notification record: KafkaRecord) {
        at = record.timestampMilliseconds
        type = record.text(.type).flatMap {
            $0.hasPrefix(Self.namespace) ? String($0.dropFirst(Self.namespace.count)) : nil
        }
        bundleId =
            record.text(.bundleId)
            ?? record.key.flatMap { RecordKey.parts(of: String(decoding: $0, as: UTF8.self))?.bundleId.rawValue }
        environment = record.text(.environment).map { AppStoreEnvironment($0) }
    }

    /// Creates the subject for a dead letter. Its time is the time of dead-lettering.
    init(_ letter: ReadDeadLetter) {
        self.init(notification: letter.record)
        reason = letter.reason
    }

    /// Creates the subject for a quarantined notification. Its type is the unverified type in the body.
    ///
    /// - Parameter receivedAt: nil if unknown.
    init(_ kept: QuarantineRecord, receivedAt: AppStoreInstant?) {
        at = receivedAt?.millisecondsSince1970
        type = Self.claimedType(kept.receivedBytes)
        bundleId = kept.bundleId?.rawValue
        environment = kept.environment
        reason = kept.reason
    }

    private static func claimedType(_ body: [UInt8]) -> String? {
        let root = (try? JSONDocument.object(body))?.root
        if let type = root?["notification_type"]?.string { return type }
        let jws = root?["signedPayload"]?.string.map { Array($0.utf8) } ?? body
        let parts = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = try? Base64URL.decode(Array(parts[1])),
            let notification = (try? JSONDocument.object(payload))?.root,
            let type = notification["notificationType"]?.string
        else { return nil }
        return notification["subtype"]?.string.map { "\(type).\($0)" } ?? type
    }
}

extension KafkaRecord {
    /// Returns an exact copy of the record, except for its origin header.
    func replayed(to topic: KafkaTopic) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: topic, key: key, value: value,
            headers: headers.map {
                $0.key == RecordHeaderName.origin.rawValue ? KafkaHeader(.origin, RecordOrigin.replay.rawValue) : $0
            })
    }
}

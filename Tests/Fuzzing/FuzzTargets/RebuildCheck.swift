import AppStoreModel
import AppStoreVerification
import Cryptography
import KafkaModel
import Records

/// Checks that the signed bytes can be rebuilt from the record of an accepted notification.
enum RebuildCheck {
    /// Returns the record that the ingress would publish, and the header segments that it references.
    static func record(
        of notification: VerifiedNotification
    ) throws(Violation) -> (record: KafkaProducerRecord, headers: [HeaderReference: [UInt8]]) {
        guard
            let identity = RecordIdentity(
                notification.envelope, transaction: notification.transactionEnvelope,
                renewalInfo: notification.renewalInfoEnvelope, appTransaction: notification.appTransactionEnvelope)
        else { throw Violation("accepted without an identity") }
        let parts = SignedParts(
            signedPayload: notification.signedText, notification: notification.notification,
            envelope: notification.envelope, transaction: notification.transaction,
            renewalInfo: notification.renewalInfo, appTransaction: notification.appTransaction)
        var headers: [HeaderReference: [UInt8]] = [:]
        let references = (parts?.headers ?? []).map { segment in
            let reference = HeaderReference(rawValue: SHA256.digest(of: Array(segment)).hex)
            headers[reference] = Array(segment)
            return reference
        }
        let content = RecordContent(
            notification: notification.notification, nestedJWSTexts: notification.envelope.nestedJWSTexts,
            transaction: notification.transaction, renewalInfo: notification.renewalInfo,
            appTransaction: notification.appTransaction,
            evidence: parts?.proof(references).map { .proof($0) } ?? .signedPayload(notification.signedPayload))
        return (KafkaProducerRecord(identity, to: "t", content: content, receivedAt: .earliest), headers)
    }

    /// Parses the record of an accepted notification and rebuilds the verified bytes from it.
    @discardableResult
    static func check(_ notification: VerifiedNotification) throws(Violation) -> NotificationRecord {
        let (record, headers) = try record(of: notification)
        guard let read = try? NotificationRecord(key: record.key, value: record.value, headers: record.headers) else {
            throw Violation("a record that cannot be read")
        }
        try hold(read.key.map { Array($0.utf8) } == record.key, "another key")
        let rebuilt: [UInt8]
        do throws(RebuildError) {
            rebuilt = try read.rebuild { headers[$0] }
        } catch {
            throw Violation("a record that cannot be rebuilt: \(error)")
        }
        try hold(rebuilt == notification.signedPayload, "rebuilt other bytes")
        if read.signedPayload == nil {
            try hold((try? read.rebuild { _ in nil }) == nil, "rebuilt without a header segment")
        }
        return read
    }
}

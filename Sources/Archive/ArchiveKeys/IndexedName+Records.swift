package import AppStoreModel
package import ArchiveLog
package import KafkaModel
internal import Records
internal import RefundRules

extension IndexedName {
    /// Returns all identifiers in a record's key, headers and value, including nested signed objects. Returns an empty
    /// set if nothing can be parsed, or if records of this kind contain no personal data.
    package static func names(of record: KafkaRecord, kind: ArchiveKind) -> Set<IndexedName> {
        guard kind.isPersonal else { return [] }
        var collector = IdentifierCollector()
        collector.collect(record.headers)
        let isRead = record.value.map { collector.collect(text: $0) } ?? false
        // Notifications from Apple's history are quarantined as compact JWSs.
        if !isRead, let value = record.value { collector.collect(jws: value) }
        if kind == .quarantine {
            let quarantined = QuarantineRecord(key: record.key, value: nil, headers: record.headers)
            collector.insert(.notificationUUID, quarantined.notificationUUID?.rawValue)
        } else {
            if let refund = record.value.flatMap({ try? RefundCase(json: $0) }) {
                for uuid in refund.requests.keys { collector.insert(.notificationUUID, uuid.rawValue) }
            }
            // An unreadable value leaves only the key, which does not state the kind of its identifier.
            if !isRead { collector.insertAnyKind(record.keySubject) }
        }
        return collector.names
    }
}

/// The purchase and transaction that a record is about, as opposed to others that it mentions.
package struct RecordPurchase: Hashable, Sendable {
    package let purchase: OriginalTransactionId?
    package let transaction: TransactionId?

    /// Returns nil if the record has neither a purchase nor a transaction, or if its content is unverified
    /// (quarantine).
    package init?(of record: KafkaRecord, kind: ArchiveKind) {
        switch kind {
        case .notification, .deadLetter, .refund: break
        case .quarantine, .erasure, .certificate, .gap: return nil
        }
        if let refund = record.value.flatMap({ try? RefundCase(json: $0) }) {
            purchase = refund.transaction?.originalTransactionId
            transaction = refund.transactionId
        } else if let notification = try? NotificationRecord(record) {
            purchase =
                notification.transaction?.originalTransactionId ?? notification.renewalInfo?.originalTransactionId
                ?? notification.originalTransactionId
            transaction = notification.transaction?.transactionId
        } else {
            return nil
        }
        guard purchase != nil || transaction != nil else { return nil }
    }
}

extension KafkaRecord {
    /// The part of the key after the bundle identifier.
    fileprivate var keySubject: String? {
        key.flatMap { String(validating: $0, as: UTF8.self) }.flatMap { RecordKey.parts(of: $0)?.subject }
    }
}

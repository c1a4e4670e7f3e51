internal import AppStoreModel
package import ArchiveFormat
package import KafkaModel
internal import Records
internal import RefundCases

/// A name that operators know a record by.
package struct IndexedName: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case notificationUUID = 1
        case transactionId = 2
        case originalTransactionId = 3
        case appAccountToken = 4
    }

    package let kind: Kind
    package let text: String

    /// - Parameter text: UUIDs in either case.
    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = kind == .notificationUUID || kind == .appAccountToken ? text.lowercased() : text
    }

    /// What is authenticated of it.
    var bytes: [UInt8] { [kind.rawValue] + text.utf8 }
}

extension IndexedName {
    /// The names that a record can be found by; none where it cannot be read.
    package static func names(of record: KafkaRecord, kind: ArchiveKind) -> Set<IndexedName> {
        var names: Set<IndexedName> = []
        let add = { (kind: Kind, text: String?) in
            if let text, !text.isEmpty { names.insert(IndexedName(kind, text)) }
        }
        switch kind {
        case .quarantine:
            let quarantined = QuarantineRecord(key: record.key, value: nil, headers: record.headers)
            add(.notificationUUID, quarantined.notificationUUID?.rawValue)
        case .notification, .deadLetter, .refund:
            if let refund = record.value.flatMap({ try? RefundCase(json: $0) }) {
                for uuid in refund.requests.keys { add(.notificationUUID, uuid.rawValue) }
                add(.transactionId, refund.transactionId.rawValue)
                add(.originalTransactionId, refund.transaction?.originalTransactionId?.rawValue)
                add(.appAccountToken, refund.transaction?.appAccountToken?.rawValue)
            } else if let notification = try? NotificationRecord(record) {
                let transaction = notification.transaction
                add(.notificationUUID, notification.notificationUUID?.rawValue)
                add(.transactionId, transaction?.transactionId?.rawValue)
                add(.originalTransactionId, notification.originalTransactionId?.rawValue)
                add(.originalTransactionId, transaction?.originalTransactionId?.rawValue)
                add(.appAccountToken, transaction?.appAccountToken?.rawValue)
            }
        case .erasure, .certificate, .gap: break
        }
        return names
    }
}

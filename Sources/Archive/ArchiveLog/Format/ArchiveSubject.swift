package import AppStoreModel
package import KafkaModel
internal import Records
internal import RefundRules

/// The subject of a record: the unit of erasure. It never leaves the process; the key store contains only HMACs of
/// subjects.
package struct ArchiveSubject: Hashable, Sendable {
    package let text: String

    private init(text: String) { self.text = text }

    /// Creates the subject for a purchase from the key of its notification records.
    package init(_ environment: AppStoreEnvironment, key: String) {
        text = "\(environment.rawValue)/\(key)"
    }

    /// Creates the subject for a purchase.
    package init(_ environment: AppStoreEnvironment, _ bundleId: BundleId, _ purchase: OriginalTransactionId) {
        self.init(environment, key: RecordKey.purchase(bundleId, purchase))
    }

    /// Creates a subject for a single record without a known purchase.
    package init(topic: KafkaTopic, partition: KafkaPartition, offset: KafkaOffset) {
        text = "\(topic)/\(partition)/\(offset)"
    }
}

extension ArchivedTopic {
    /// Returns the subject of a record in this topic, or nil for kinds without personal data.
    ///
    /// The subject is the purchase in the record's key. For a refund case that contains the refunded transaction, it is
    /// that transaction's purchase. A record without a key, or in a topic with records from both environments, is its
    /// own subject.
    package func subject(of record: KafkaRecord) -> ArchiveSubject? {
        guard kind.isPersonal else { return nil }
        guard let environment, let key = record.key.flatMap({ String(validating: $0, as: UTF8.self) }), !key.isEmpty
        else { return ArchiveSubject(topic: record.topic, partition: record.partition, offset: record.offset) }
        if let refund = refundCase(record), let purchase = refund.transaction?.originalTransactionId {
            return ArchiveSubject(environment, refund.bundleId, purchase)
        }
        return ArchiveSubject(environment, key: key)
    }

    /// Returns the time of the event that a record describes, in milliseconds since 1970. This is the date of Apple's
    /// signature, so that a record keeps its age when it is produced again. Without a signature date, it is the
    /// record's own timestamp, or nil if the record has none.
    package func eventTime(of record: KafkaRecord) -> Int64? {
        if let signed = record.text(.time).flatMap({ AppStoreInstant(rfc3339: $0) }) {
            return signed.millisecondsSince1970
        }
        return refundCase(record)?.newestSignature ?? record.timestampMilliseconds
    }

    private func refundCase(_ record: KafkaRecord) -> RefundCase? {
        // The topic does not identify the content of a dead letter. If the dead letter has a notification's headers, it
        // is not a refund case and need not be parsed.
        guard kind == .refund || kind == .deadLetter, let value = record.value, record.text(.id) == nil else {
            return nil
        }
        return try? RefundCase(json: value)
    }
}

extension RefundCase {
    /// The latest signature date in the case, in milliseconds since 1970.
    fileprivate var newestSignature: Int64? {
        let dates =
            requests.values.map(\.signedDate) + verdicts.all.map(\.signedDate)
            + [transaction?.signedDate, consentRescindedAt].compactMap(\.self)
        return dates.map(\.millisecondsSince1970).max()
    }
}

package import AppStoreModel
package import KafkaModel
internal import Records
internal import RefundCases

/// Whom a record is about: what is erased together. It never leaves the process; the key store knows its HMAC alone.
package struct ArchiveSubject: Hashable, Sendable {
    package let text: String

    private init(text: String) { self.text = text }

    /// A purchase, by the key of its notification records.
    package init(_ environment: AppStoreEnvironment, key: String) {
        text = "\(environment.rawValue)/\(key)"
    }

    /// A purchase.
    package init(_ environment: AppStoreEnvironment, _ bundleId: BundleId, _ purchase: OriginalTransactionId) {
        self.init(environment, key: RecordKey.purchase(bundleId, purchase))
    }

    /// One record, where nothing says whom it is about.
    package init(topic: KafkaTopic, partition: KafkaPartition, offset: KafkaOffset) {
        text = "\(topic)/\(partition)/\(offset)"
    }
}

extension ArchivedTopic {
    /// Whom a record of this topic is about; nil where its kind is about nobody.
    ///
    /// That is the purchase: for a refund the one that its transaction belongs to, where its case knows it.
    package func subject(of record: KafkaRecord) -> ArchiveSubject? {
        guard kind.isPersonal else { return nil }
        guard let environment, let key = record.key.flatMap({ String(validating: $0, as: UTF8.self) }), !key.isEmpty
        else { return ArchiveSubject(topic: record.topic, partition: record.partition, offset: record.offset) }
        if let refund = refundCase(record), let purchase = refund.transaction?.originalTransactionId {
            return ArchiveSubject(environment, refund.bundleId, purchase)
        }
        return ArchiveSubject(environment, key: key)
    }

    /// When what a record says happened, in milliseconds since 1970: the date of Apple's signature, so that a record that
    /// is produced again is as old as it was. Where nothing says it, the record's own time; nil without one.
    package func eventTime(of record: KafkaRecord) -> Int64? {
        if let signed = record.text(.time).flatMap({ AppStoreInstant(rfc3339: $0) }) {
            return signed.millisecondsSince1970
        }
        return refundCase(record)?.newestSignature ?? record.timestampMilliseconds
    }

    private func refundCase(_ record: KafkaRecord) -> RefundCase? {
        // Of dead letters those without a notification's headers: the topic alone does not say what is in them.
        guard kind == .refund || kind == .deadLetter, let value = record.value, record.text(.id) == nil else {
            return nil
        }
        return try? RefundCase(json: value)
    }
}

extension RefundCase {
    /// The latest date of a signature that it knows.
    fileprivate var newestSignature: Int64? {
        let dates =
            requests.values.map(\.signedDate) + verdicts.all.map(\.signedDate)
            + [transaction?.signedDate, consentRescindedAt].compactMap(\.self)
        return dates.map(\.millisecondsSince1970).max()
    }
}

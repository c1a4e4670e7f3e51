internal import AppStoreModel
internal import AppStoreVerification
internal import Cryptography
internal import Kafka
internal import Records

/// The records that the ingress would have written for a notification, with origin `replay`: header segments first,
/// then the notification.
enum ReleasedRecords {
    /// Returns the records in the order in which to write them. The array is empty only if the verifier accepted a
    /// notification without an identity.
    static func records(
        of verified: VerifiedNotification, receivedAt: AppStoreInstant, names: TopicNames
    ) -> [KafkaProducerRecord] {
        guard
            let identity = RecordIdentity(
                verified.envelope, transaction: verified.transactionEnvelope, renewalInfo: verified.renewalInfoEnvelope,
                appTransaction: verified.appTransactionEnvelope)
        else { return [] }
        let parts = SignedParts(
            signedPayload: verified.signedText, notification: verified.notification, envelope: verified.envelope,
            transaction: verified.transaction, renewalInfo: verified.renewalInfo,
            appTransaction: verified.appTransaction)
        let headers = (parts?.headers ?? []).map { segment in
            CertificateHeader(
                reference: HeaderReference(rawValue: SHA256.digest(of: Array(segment)).hex), segment: Array(segment))
        }
        let proof = parts?.proof(headers.map(\.reference))
        let content = RecordContent(
            notification: verified.notification, nestedJWSTexts: verified.envelope.nestedJWSTexts,
            transaction: verified.transaction, renewalInfo: verified.renewalInfo,
            appTransaction: verified.appTransaction,
            evidence: proof.map { .proof($0) } ?? .signedPayload(verified.signedPayload))
        var segments: [CertificateHeader] = []
        if proof != nil { for header in headers where !segments.contains(header) { segments.append(header) } }
        return segments.map { $0.produced(to: names.certificates) } + [
            KafkaProducerRecord(
                identity, to: names.notifications(identity.environment), content: content, receivedAt: receivedAt,
                origin: .replay)
        ]
    }
}

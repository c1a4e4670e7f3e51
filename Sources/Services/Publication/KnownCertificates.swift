package import AppStoreVerification
internal import Cryptography
package import Kafka
internal import Records
package import Telemetry
package import Time

/// Takes up Apple's certificates from the certificates topic at the start, so that authentic notifications are known
/// from the first one on, whatever a flood of new certificate chains does to the limit for those.
///
/// Only the ingress and the reconciler write the topic, and only what a signature has verified under. Each header segment passes the
/// checks of certificates once more; a topic that cannot be read costs this advantage and nothing else.
package enum KnownCertificates {
    private static let limit = Duration.seconds(5)
    /// The latest: as many as the verifier remembers.
    private static let greatestCount = 32

    package static func load(
        _ kafka: KafkaConfiguration, _ topics: ProducedTopics, into verifier: NotificationVerifier, _ logger: Logger,
        _ clocks: Clocks
    ) async {
        var segments: [[UInt8]] = []
        do {
            let place = KafkaTopicPartition(topic: topics.certificates, partition: KafkaPartition(rawValue: 0))
            try await KafkaConsumer.readToEnd(kafka, from: [place: .beginning], within: limit) { records in
                segments += records.compactMap(CertificateHeader.init)
                    .filter { SHA256.digest(of: $0.segment).hex == $0.reference.rawValue }.map(\.segment)
                segments = segments.suffix(greatestCount)
            }
        } catch {
            return logger.warning(
                "certificates topic not read; the first notifications are verified like new ones",
                [LogField(.error, "\(error)")])
        }
        let known = segments.count { verifier.remember(header: $0, at: clocks.wallMilliseconds()) }
        logger.info("certificates known", [LogField(.known, known)])
    }
}

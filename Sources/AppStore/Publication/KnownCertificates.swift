package import AppStoreVerification
internal import Cryptography
package import Kafka
package import Primitives
internal import Records
package import Telemetry

/// Preloads Apple's certificates from the certificates topic at startup, so that authentic notifications have a known
/// certificate chain even if a flood of new chains exhausts the limit for new ones.
///
/// Only the ingress and the reconciler write to the topic, and only segments with a verified signature. The
/// certificates in each segment are checked again. If the topic is unreadable, only this advantage is lost.
package enum KnownCertificates {
    private static let limit = Duration.seconds(5)
    /// The maximum number of segments to load; only the latest are loaded. The verifier caches the same number.
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
                "certificates topic not loaded; the first notifications take longer to verify",
                [LogField(.error, "\(error)")])
        }
        let known = segments.count { verifier.remember(header: $0, at: clocks.wallMilliseconds()) }
        logger.info("certificates loaded", [LogField(.known, known)])
    }
}

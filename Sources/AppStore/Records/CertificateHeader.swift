public import KafkaModel

/// A record in the certificates topic: a JWS header segment with Apple's certificates, keyed by its reference. Each
/// process writes each segment only once; all copies of a segment are equal.
public struct CertificateHeader: Hashable, Sendable {
    public let reference: HeaderReference
    /// The segment, as base64url text.
    public let segment: [UInt8]

    /// - Parameter reference: the SHA-256 digest of `segment`, computed by the caller.
    public init(reference: HeaderReference, segment: [UInt8]) {
        self.reference = reference
        self.segment = segment
    }

    /// Returns the record to produce.
    public func produced(to topic: KafkaTopic) -> KafkaProducerRecord {
        KafkaProducerRecord(topic: topic, key: Array(reference.rawValue.utf8), value: segment)
    }

    /// Parses a record from the topic. Returns nil if the key is not a reference or there is no value. The caller must
    /// check that the digest of the segment matches the reference.
    public init?(_ record: KafkaRecord) {
        guard let reference = record.key.map({ HeaderReference(rawValue: String(decoding: $0, as: UTF8.self)) }),
            reference.isWellFormed, let segment = record.value, !segment.isEmpty
        else { return nil }
        self.init(reference: reference, segment: segment)
    }
}

public import KafkaModel

/// A record of the certificates topic: the header segment of a JWS, which holds Apple's certificates, under its
/// reference. Each is written once by every process that meets it; copies are equal.
public struct CertificateHeader: Hashable, Sendable {
    public let reference: HeaderReference
    /// The base64url text.
    public let segment: [UInt8]

    /// - Parameter reference: the SHA-256 of `segment`, which the caller computed.
    public init(reference: HeaderReference, segment: [UInt8]) {
        self.reference = reference
        self.segment = segment
    }

    /// The record as it is produced.
    public func produced(to topic: KafkaTopic) -> KafkaProducerRecord {
        KafkaProducerRecord(topic: topic, key: Array(reference.rawValue.utf8), value: segment)
    }

    /// Reads a record of the topic. Nil if its key is no reference or it has no value; whether the segment has that
    /// digest is for the caller to check.
    public init?(_ record: KafkaRecord) {
        guard let reference = record.key.map({ HeaderReference(rawValue: String(decoding: $0, as: UTF8.self)) }),
            reference.isWellFormed, let segment = record.value, !segment.isEmpty
        else { return nil }
        self.init(reference: reference, segment: segment)
    }
}

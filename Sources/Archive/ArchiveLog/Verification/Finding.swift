package import KafkaModel
package import ObjectStorage

/// A problem in an archive, with the first affected position.
package struct Finding: Equatable, Sendable {
    /// The meaning of a finding.
    package enum Kind: String, Sendable, CaseIterable {
        /// Data was changed, removed, replaced or added after it was signed.
        case tampered
        /// Records are missing because the archive never received them.
        case incomplete
        /// The log is in an earlier state than a signed state found elsewhere.
        case rolledBack = "rolled-back"
        /// There are two signed states, and neither extends the other.
        case forked
        /// External checkpoints were given, but none belongs to this log, or too few witnesses have cosigned the log.
        case unanchored
        /// The signature was made with a key that was not given.
        case unknownKey = "unknown-key"
        /// The storage could not be read, so this part was not verified.
        case unreadable
    }

    package let kind: Kind
    package let log: KafkaTopicPartition
    /// The affected object, if any.
    package let object: ObjectName?
    /// The first affected leaf.
    package let leaf: Int?
    /// The first affected Kafka offset.
    package let offset: KafkaOffset?
    /// A one-line message.
    package let message: String

    package init(
        _ kind: Kind, _ log: KafkaTopicPartition, object: ObjectName? = nil, leaf: Int? = nil,
        offset: KafkaOffset? = nil, _ message: String
    ) {
        self.kind = kind
        self.log = log
        self.object = object
        self.leaf = leaf
        self.offset = offset
        self.message = message
    }

    /// Creates the finding for an error while reading the log.
    init(_ error: ArchiveError, _ log: KafkaTopicPartition, leaf: Int? = nil) {
        let kind: Kind =
            switch error.code {
            case .storage: .unreadable
            case .unknownKey: .unknownKey
            default: .tampered
            }
        self.init(kind, log, object: error.object, leaf: leaf, error.message)
    }
}

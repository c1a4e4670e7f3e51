package import KafkaModel
package import ObjectStorage

/// Something that is wrong with an archive, and the first place where it shows.
package struct Finding: Equatable, Sendable {
    /// What it means.
    package enum Kind: String, Sendable, CaseIterable {
        /// Something was changed, removed, exchanged or added after it was signed.
        case tampered
        /// Records are missing that the archive never had.
        case incomplete
        /// An earlier state than one that was signed and is known elsewhere.
        case rolledBack = "rolled-back"
        /// Two states were signed of which neither continues the other.
        case forked
        /// Checkpoints from elsewhere were given, and none of them is of this log.
        case unanchored
        /// Signed by a key that was not given.
        case unknownKey = "unknown-key"
        /// The storage could not be read, so nothing is known about the place.
        case unreadable
    }

    package let kind: Kind
    package let log: KafkaTopicPartition
    /// The object that it is about, where it is about one.
    package let object: ObjectName?
    /// The first leaf that it is about.
    package let leaf: Int?
    /// The first Kafka offset that it is about.
    package let offset: KafkaOffset?
    /// One line.
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

    init(_ error: LogReadError, _ log: KafkaTopicPartition, leaf: Int? = nil) {
        let kind: Kind =
            switch error.code {
            case .storage: .unreadable
            case .unknownKey: .unknownKey
            case .missing, .malformed, .invalidSignature, .noLeaf: .tampered
            }
        self.init(kind, log, object: error.object, leaf: leaf, error.message)
    }
}

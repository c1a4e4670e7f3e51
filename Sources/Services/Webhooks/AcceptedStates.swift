internal import Cryptography
internal import Kafka
internal import Synchronization

/// The content of a purchase's state, without its evaluation time (`asOf`).
struct StateContent: Sendable, Equatable {
    /// The version. A state with a greater version string is newer.
    let version: String
    /// The digest of everything sent to receivers except the version and the evaluation time.
    let digest: SHA256Digest
}

/// For each purchase, the content of the last state that the receiver accepted, unless another message about the
/// purchase has been posted since. If the rules change and an equal state is republished, it need not be posted again.
///
/// States are kept in memory only while their partition is assigned to this member; afterwards, another member may post
/// states.
final class AcceptedStates: Sendable {
    /// The maximum number of purchases, at about 100 bytes each. Beyond it, the entries of one partition are evicted.
    static let limit = 50_000

    private struct State {
        var contents: [KafkaTopicPartition: [SHA256Digest: StateContent]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Returns whether the receiver has already accepted this content for the record's purchase, and nothing newer.
    func hasAccepted(_ content: StateContent?, of record: KafkaRecord) -> Bool {
        guard let content else { return false }
        let key = SHA256.digest(of: record.key ?? [])
        guard let known = state.withLock({ $0.contents[record.topicPartition]?[key] }) else { return false }
        return known.digest == content.digest && content.version >= known.version
    }

    /// Removes the stored content for a record's purchase before a message about the purchase is posted. The receiver
    /// may process the message without accepting it, for example if it responds too late, and then no longer has the
    /// stored state.
    ///
    /// - Parameter content: the content of the state to post, or nil for an erasure. The receiver ignores a state older
    ///   than its own, so the content of a newer one is kept.
    func willPost(_ content: StateContent?, of record: KafkaRecord) {
        let key = SHA256.digest(of: record.key ?? [])
        state.withLock { state in
            guard let known = state.contents[record.topicPartition]?[key] else { return }
            if let content, content.version < known.version { return }
            state.contents[record.topicPartition]?[key] = nil
            state.count -= 1
        }
    }

    /// Stores the content of a state that the receiver accepted. Receivers ignore states older than their own.
    func accepted(_ content: StateContent?, of record: KafkaRecord) {
        guard let content else { return }
        let key = SHA256.digest(of: record.key ?? [])
        state.withLock { state in
            if let known = state.contents[record.topicPartition]?[key], known.version > content.version { return }
            if state.count >= Self.limit { Self.forget(record.topicPartition, &state) }
            if state.contents[record.topicPartition, default: [:]].updateValue(content, forKey: key) == nil {
                state.count += 1
            }
        }
    }

    func forget(_ partition: KafkaTopicPartition) { state.withLock { Self.forget(partition, &$0) } }

    private static func forget(_ partition: KafkaTopicPartition, _ state: inout State) {
        state.count -= state.contents.removeValue(forKey: partition)?.count ?? 0
    }
}

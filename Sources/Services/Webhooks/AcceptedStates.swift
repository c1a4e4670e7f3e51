internal import Cryptography
internal import Kafka
internal import Synchronization

/// The statement of a state about its purchase, whatever the moment.
struct StateContent: Sendable, Equatable {
    /// The greater one is the newer one.
    let version: String
    /// Of everything but the version and the moment.
    let digest: SHA256Digest
}

/// The state of each purchase that the receiver accepted last, without its moment: one that says the same again, because
/// every purchase was published again by other rules, need not be posted.
///
/// In memory, for as long as a partition is owned: another member may have posted something since.
final class AcceptedStates: Sendable {
    /// So many purchases, about 100 bytes each; beyond it a partition begins again.
    static let limit = 50_000

    private struct State {
        var contents: [KafkaTopicPartition: [SHA256Digest: StateContent]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Whether the receiver has this of the record's purchase already, and nothing newer.
    func hasAccepted(_ content: StateContent?, of record: KafkaRecord) -> Bool {
        guard let content else { return false }
        let key = SHA256.digest(of: record.key ?? [])
        guard let known = state.withLock({ $0.contents[record.topicPartition]?[key] }) else { return false }
        return known.digest == content.digest && content.version >= known.version
    }

    /// The receiver ignores what is older than what it has.
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

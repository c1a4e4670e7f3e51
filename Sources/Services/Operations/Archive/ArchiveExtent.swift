internal import JSON
internal import Kafka
internal import Lifecycle

/// How far an answer from the index reaches.
struct ArchiveExtent: Sendable {
    struct Log: Sendable {
        let partition: KafkaTopicPartition
        /// Leaves that were looked at: all that the checkpoint covers.
        let leaves: Int
    }

    /// Logs that have leaves, in their order.
    let logs: [Log]
    /// Records whose key the key store does not have: this host cannot say whom they are about.
    let unread: Int
    /// The newest time that the last record of any log has, in milliseconds since 1970; nil when none has one.
    var newestTimestamp: Int64?

    var summary: String { "searched \(logs.reduce(0) { $0 + $1.leaves }) leaves of \(logs.count) logs" }

    /// Nil for an answer that is complete.
    var warning: String? {
        guard unread > 0 else { return nil }
        return """
            not complete: the keys of \(unread) archived records are not in this key store, so nothing is known of whom they \
            are about; repeat it where their keys are
            """
    }

    /// The exit code of a command whose answer has this extent; says on standard error what is not complete.
    func exitCode(_ console: Console) -> ExitCode {
        guard let warning else { return .ok }
        console.complain(warning)
        return .failure
    }

    /// A line for each log.
    var text: String {
        let rows = logs.map { log in
            ["complete up to", "\(log.partition.topic)/\(log.partition.partition)", "leaf \(log.leaves - 1)"]
        }
        return rows.isEmpty ? "" : PlainText.table(rows)
    }

    var json: JSONValue {
        .array(
            logs.map { log in
                .object([
                    OutputName.topic: .string(log.partition.topic.rawValue),
                    OutputName.partition: .integer(Int64(log.partition.partition.rawValue)),
                    OutputName.leaves: .integer(Int64(log.leaves)),
                ])
            })
    }
}

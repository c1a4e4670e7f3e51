internal import CommandLine
internal import JSON
internal import Kafka
internal import Lifecycle

/// The part of the archive that a search of the index covers.
struct ArchiveExtent: Sendable {
    struct Log: Sendable {
        let partition: KafkaTopicPartition
        /// The number of leaves that were searched: all leaves that the log's checkpoint covers.
        let leaves: Int
    }

    /// The logs that have leaves, in ascending order of topic and partition.
    let logs: [Log]
    /// The number of records whose subject is unknown because this host's key store lacks their keys.
    let unread: Int
    /// The newest timestamp among the logs' last records, in milliseconds since 1970, or nil if none has a timestamp.
    var newestTimestamp: Int64?

    var summary: String { "searched \(logs.reduce(0) { $0 + $1.leaves }) leaves in \(logs.count) logs" }

    /// A warning, or nil if the answer is complete.
    var warning: String? {
        guard unread > 0 else { return nil }
        return """
            incomplete: the keys of \(unread) archived records are not in this key store, so their subjects are \
            unknown; run the command on a host that has the keys
            """
    }

    /// Returns the exit code for an answer with this extent, and reports an incomplete answer on standard error.
    func exitCode(_ console: Console) -> ExitCode {
        guard let warning else { return .ok }
        console.complain(warning)
        return .failure
    }

    /// The extent as text, one line per log.
    var text: String {
        let rows = logs.map { log in
            ["searched up to", "\(log.partition.topic)/\(log.partition.partition)", "leaf \(log.leaves - 1)"]
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

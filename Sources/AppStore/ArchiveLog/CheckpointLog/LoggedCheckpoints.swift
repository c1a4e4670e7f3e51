internal import TransparencyLog

/// The checkpoints in the leaves of the log of checkpoints, grouped by log.
package struct LoggedCheckpoints: Sendable {
    /// Maximum number of checkpoints compared per log; if there are more, every second older checkpoint is dropped.
    static let maximumPerLog = 65_536

    /// A leaf: the three lines of a checkpoint as text.
    struct Leaf: Sendable {
        let index: Int
        let checkpoint: Checkpoint
    }

    private struct Log {
        let origin: String
        var leaves: [Leaf]
    }

    /// Logs by the UTF-8 bytes of their origin.
    private var logs: [[UInt8]: Log] = [:]

    init() {}

    mutating func add(_ leaf: Leaf) {
        let key = Array(leaf.checkpoint.origin.utf8)
        var log = logs.removeValue(forKey: key) ?? Log(origin: leaf.checkpoint.origin, leaves: [])
        if log.leaves.count >= Self.maximumPerLog {
            log.leaves = log.leaves.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
        log.leaves.append(leaf)
        logs[key] = log
    }

    /// The origins of all logs referenced by the leaves, in ascending order.
    var origins: [String] { logs.values.map(\.origin).sorted() }

    /// Returns the roots that a log must have, in ascending order of size.
    ///
    /// - Parameter anchored: number of leaves in the log of checkpoints that an external checkpoint covers.
    func roots(of origin: String, anchored: Int) -> [AnchoredRoot] {
        (logs[Array(origin.utf8)]?.leaves ?? []).map {
            AnchoredRoot(
                size: $0.checkpoint.size, root: $0.checkpoint.root,
                source: $0.index < anchored ? .anchoredCheckpointLog : .checkpointLog)
        }.sorted { $0.size < $1.size }
    }

    /// Returns whether an entry is a checkpoint.
    package static func isCheckpoint(_ entry: [UInt8]) -> Bool { checkpoint(in: entry[...]) != nil }

    /// Returns the checkpoint in an entry; nil for any other entry.
    static func checkpoint(in entry: ArraySlice<UInt8>) -> Checkpoint? {
        guard let text = String(validating: entry, as: UTF8.self), let checkpoint = try? Checkpoint(text: text),
            checkpoint.size > 0, checkpoint.extensions.isEmpty, checkpoint.text.utf8.elementsEqual(entry)
        else { return nil }
        return checkpoint
    }
}

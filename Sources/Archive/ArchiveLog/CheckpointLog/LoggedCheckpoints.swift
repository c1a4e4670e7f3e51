internal import TransparencyLog

/// The checkpoints in the checkpoint log, grouped by archive log.
package struct LoggedCheckpoints: Sendable {
    /// The maximum number of checkpoints per archive log. When it is reached, every second checkpoint is dropped.
    static let maximumPerLog = 65_536

    /// A leaf of the checkpoint log. Its entry is the three-line text of a checkpoint.
    struct Leaf: Sendable {
        let index: Int
        let checkpoint: Checkpoint
    }

    private struct Log {
        let origin: String
        var leaves: [Leaf]
    }

    /// The archive logs, keyed by the UTF-8 bytes of their origin.
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

    /// The origins of all archive logs with a checkpoint, in ascending order.
    var origins: [String] { logs.values.map(\.origin).sorted() }

    /// Returns the roots that an archive log must have, in ascending order of size.
    ///
    /// - Parameter anchored: the number of checkpoint log leaves covered by an external checkpoint.
    func roots(of origin: String, anchored: Int) -> [AnchoredRoot] {
        (logs[Array(origin.utf8)]?.leaves ?? []).map {
            AnchoredRoot(
                size: $0.checkpoint.size, root: $0.checkpoint.root,
                source: $0.index < anchored ? .anchoredCheckpointLog : .checkpointLog)
        }.sorted { $0.size < $1.size }
    }

    /// Returns whether an entry is a checkpoint.
    package static func isCheckpoint(_ entry: [UInt8]) -> Bool { checkpoint(in: entry[...]) != nil }

    /// Returns the checkpoint in an entry, or nil if the entry is not a checkpoint.
    static func checkpoint(in entry: ArraySlice<UInt8>) -> Checkpoint? {
        guard let text = String(validating: entry, as: UTF8.self), let checkpoint = try? Checkpoint(text: text),
            checkpoint.size > 0, checkpoint.extensions.isEmpty, checkpoint.text.utf8.elementsEqual(entry)
        else { return nil }
        return checkpoint
    }
}

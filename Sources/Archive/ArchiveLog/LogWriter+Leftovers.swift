internal import ObjectStorage
internal import TransparencyLog

extension LogWriter {
    /// Deletes objects that an earlier process left behind beyond the checkpoint. This is safe because this writer
    /// holds the log's lock. A store without locks has no leftovers, only objects that another writer may have
    /// committed.
    func removeLeftovers() async throws {
        guard store.hasLocks else { return }
        try await removeLeftovers(below: "segments", level: 0)
        try await removeLeftovers(below: "tile/entries", level: 0)
        // Also search one level above the top of the tree, because an interrupted commit may have started that level.
        for level in 0...8 {
            guard level == 0 || committed.size >> (8 * (level - 1)) > 0 else { return }
            try await removeLeftovers(below: "tile/\(level)", level: level)
        }
    }

    /// - Parameter level: the level of the hash tiles with the same indexes as the objects in the folder.
    private func removeLeftovers(below folder: String, level: Int) async throws {
        let count = committed.size >> (8 * level)
        let (edge, width) = (count >> 8, count & 255)
        // Search the last index's folder and the next one. A folder has a thousand indexes, and a commit never spans
        // more.
        for first in [edge, edge + 1_000] {
            let place = TilePath.text(number: first).split(separator: "/")
            let parent = try names.prefix.appending(
                ([Substring(folder)] + place.dropLast()).joined(separator: "/"))
            var last = first == edge && edge % 1_000 > 0 ? try parent.appending(Self.name(before: edge)) : nil
            while true {
                let page = try await store.list(parent, after: last, limit: 1_000)
                for object in page {
                    guard let found = indexAndWidth(object.name) else { continue }
                    if found.index > edge || found.index == edge && found.width > width {
                        try await store.delete(object.name)
                    }
                }
                guard page.count == 1_000, let name = page.last?.name else { break }
                last = name
            }
        }
    }

    /// Returns the name of the full object before an index, relative to its folder of a thousand objects.
    private static func name(before index: Int) -> String {
        String(TilePath.text(number: index - 1).split(separator: "/").last ?? "000")
    }

    private func indexAndWidth(_ name: ObjectName) -> (index: Int, width: Int)? {
        switch names.content(name) {
        case .segment(let index, let width): (index, width)
        case .tile(let path): (path.index, path.width)
        default: nil
        }
    }
}

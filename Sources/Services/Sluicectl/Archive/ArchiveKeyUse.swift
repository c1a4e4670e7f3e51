internal import ArchiveKeys
internal import ArchiveLog
internal import Lifecycle
internal import TransparencyLog

/// Compares the keys referenced by an archive's leaves with the keys in a key store.
struct ArchiveKeyUse {
    private(set) var leaves = 0
    /// The referenced keys that are in the store, including destroyed ones.
    private(set) var known: Set<ArchiveKeyId> = []
    /// The referenced keys that are not in the store, each with the first leaf that references it.
    private(set) var unknown: [ArchiveKeyId: String] = [:]
    /// The leaves that cannot be read, so that their keys are unknown.
    private var unreadable: (count: Int, first: String)?

    /// Reads the leaves of all logs and compares their keys with the store.
    ///
    /// - Throws: a ``StartupError`` if a log cannot be read, or an ``ArchiveError``.
    init(_ logs: ArchiveLogs, _ store: KeyStore) async throws {
        for reader in try await logs.all() {
            do throws(ArchiveError) {
                let size = try await reader.checkpoint()?.checkpoint.size ?? 0
                for bundle in 0..<TilePath.bundleCount(size: size) {
                    let entries = try await reader.bundle(bundle, size: size)
                    for position in 0..<entries.count {
                        let leaf = bundle * TilePath.fullWidth + position
                        guard leaf < size else { break }
                        let place = "\(reader.names.prefix), leaf \(leaf)"
                        guard let read = try? ArchiveLeaf(bytes: Array(entries[position])) else {
                            unreadable = ((unreadable?.count ?? 0) + 1, unreadable?.first ?? place)
                            continue
                        }
                        leaves += 1
                        take(try store.keyId(of: read), place)
                    }
                }
            } catch {
                guard error.isReadFailure else { throw error }
                throw StartupError(error)
            }
        }
        for id in unknown.keys {
            if case .unknown = try store.dataKey(id) { continue }
            unknown[id] = nil
            known.insert(id)
        }
    }

    /// Records a reference to a key. The store is queried later, once per key.
    private mutating func take(_ id: ArchiveKeyId?, _ place: String) {
        guard let id, unknown[id] == nil else { return }
        unknown[id] = place
    }

    /// The number of unreadable leaves if there are any, and descriptions of up to 20 unknown keys, followed by the
    /// number of others if there are more.
    var problems: [String] {
        let lines = unknown.sorted { $0.value < $1.value }.prefix(20).map { id, place in
            "key \(id) is not in the key store: \(place)"
        }
        let unread = unreadable.map { "the keys of \($0.count) unreadable leaves are unknown; the first: \($0.first)" }
        return [unread].compactMap(\.self) + lines + (unknown.count > 20 ? ["and \(unknown.count - 20) more keys"] : [])
    }
}

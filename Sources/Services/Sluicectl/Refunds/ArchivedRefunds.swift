internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Story

/// The refund cases for an environment as recorded in the archive, including cases with records that Kafka no longer
/// has.
struct ArchivedRefunds {
    /// The archive's settings. None is required if the archive is not read.
    static let settings =
        ArchivePlace.storeSettings + [ArchiveProofOptions.keyStore, ArchiveProofOptions.keyEncryptionKeys]

    let refunds: ReadRefunds
    /// The number of records that can no longer be read, by reason: `erased`, `expired`, `missing`, `key_unknown`.
    let missing: [String: Int]
    /// Whether every record was read that should be readable. Erased and expired records need not be.
    let isComplete: Bool

    /// Reads the logs of a topic in offset order. Blocks on disk access.
    ///
    /// - Throws: a ``StartupError`` or `ConfigurationError` if the archive or the key store cannot be read, or if the
    ///   archive has no log for the topic.
    init(_ topic: KafkaTopic, gap: Int64, _ configuration: Configuration) async throws {
        let logs = try ArchiveLogs(configuration)
        let keys = try ArchiveProofOptions.openKeys(configuration)
        defer { keys.close() }
        let contents = ArchivedContents(keys)
        var refunds = ReadRefunds(gap: gap)
        var missing: [String: Int] = [:]
        var isComplete = true
        for reader in try await logs.readers(of: { $0 == topic }) {
            _ = try await reader.scan(logs).run(where: { _ in true }) { entry in
                let content = try contents.content(of: entry)
                switch content {
                case .record(let record): refunds.take(record)
                case .gap: return true
                case .erased, .expired: break
                case .missing, .keyUnknown: isComplete = false
                }
                if let name = content.name { missing[name, default: 0] += 1 }
                return true
            }
        }
        self.refunds = refunds
        self.missing = missing
        self.isComplete = isComplete
    }

    /// A note about missing records, or nil if nothing is missing.
    var note: String? {
        guard !missing.isEmpty else { return nil }
        let counts = missing.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return "archived records that can no longer be read: \(counts)"
    }
}

internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Story

/// The refund cases of an environment, as the archive has them: also those whose records Kafka no longer has.
struct ArchivedRefunds {
    /// Settings of the archive; none are required if it is not read.
    static let settings =
        ArchivePlace.storeSettings + [ArchiveProofOptions.keyStore, ArchiveProofOptions.keyEncryptionKeys]

    let refunds: ReadRefunds
    /// Records that cannot be read any more, by reason: `erased`, `expired`, `key_unknown`.
    let missing: [String: Int]

    /// Reads the logs of a topic in the order of their offsets. Waits for a disk.
    ///
    /// - Throws: a ``StartupError`` or `ConfigurationError` if the archive or the key store cannot be read, or if there
    ///   is no log.
    init(_ topic: KafkaTopic, gap: Int64, _ configuration: Configuration) async throws {
        let logs = try ArchiveLogs(configuration)
        let keys = try ArchiveProofOptions.openKeys(configuration)
        defer { keys.close() }
        let contents = ArchivedContents(keys)
        var refunds = ReadRefunds(gap: gap)
        var missing: [String: Int] = [:]
        for reader in try await logs.readers(of: { $0 == topic }) {
            _ = try await reader.scan(logs).run(where: { _ in true }) { entry in
                switch try contents.content(of: entry) {
                case .record(let record): refunds.take(record)
                case .gap: break
                case let content: if let name = content.name { missing[name, default: 0] += 1 }
                }
                return true
            }
        }
        self.refunds = refunds
        self.missing = missing
    }

    /// Nil when nothing is missing.
    var note: String? {
        guard !missing.isEmpty else { return nil }
        let counts = missing.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return "archived records that can no longer be read: \(counts)"
    }
}

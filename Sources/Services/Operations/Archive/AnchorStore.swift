internal import ArchiveConfiguration
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import TransparencyLog

/// The second store of checkpoints, `archive.anchor.url`, as commands read it.
struct AnchorStore: Sendable {
    private let store: any ObjectStore

    /// - Throws: a ``StartupError`` with exit code 6 when none is configured, or it cannot be opened.
    init(_ configuration: Configuration) throws(StartupError) {
        let key = ArchivePlace.anchorURL.key
        let opened: (any ObjectStore)?
        do throws(ConfigurationError) {
            opened = try ArchivePlace.openAnchor(configuration, creating: false)
        } catch {
            throw StartupError(
                error.message, setting: key, fix: "Correct the setting, or its credentials",
                exitCode: .archiveUnreadable)
        }
        guard let opened else {
            throw StartupError(
                "no second store is configured", setting: key, fix: "Set it as for sluice-archive",
                exitCode: .archiveUnreadable)
        }
        store = opened
    }

    /// The newest checkpoint that it has of a log, its signatures not verified; nil when it has none.
    func checkpoint(of partition: KafkaTopicPartition) async throws -> VerifiedCheckpoint? {
        let names = try LogNames(partition)
        do throws(LogReadError) {
            return try await LogReader(store, names: names, verifiers: nil).checkpoint()
        } catch { throw Self.unreadable(error) }
    }

    /// The newest checkpoint of each log.
    func checkpoints() async throws -> [SignedNote] {
        do throws(LogReadError) {
            var notes: [SignedNote] = []
            for names in try await LogReader.logs(in: store) {
                guard let found = try await LogReader(store, names: names, verifiers: nil).checkpoint() else {
                    continue
                }
                notes.append(found.note)
            }
            return notes
        } catch { throw Self.unreadable(error) }
    }

    private static func unreadable(_ error: LogReadError) -> StartupError {
        StartupError(
            "the second store: \(error)", setting: ArchivePlace.anchorURL.key, fix: "Look whether it is available",
            exitCode: .archiveUnreadable)
    }
}

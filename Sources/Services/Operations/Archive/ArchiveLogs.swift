internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import TransparencyLog

/// The logs of an archive, for commands. Signatures are not verified here: `sluicectl archive verify` does that.
struct ArchiveLogs: Sendable {
    let store: any ObjectStore

    /// - Throws: a `ConfigurationError` that names `archive.url`.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        store = try ArchivePlace.openStore(configuration, creating: false)
    }

    /// Readers of the selected logs, in ascending order of topic and partition.
    ///
    /// - Throws: a ``StartupError`` when the store cannot be read, or has no such log.
    func readers(of isWanted: (KafkaTopic) -> Bool) async throws(StartupError) -> [LogReader] {
        let names: [LogNames]
        do throws(LogReadError) {
            names = try await LogReader.logs(in: store).filter { isWanted($0.partition.topic) }
        } catch { throw StartupError(error) }
        guard !names.isEmpty else {
            throw StartupError(
                "the archive has no such log", setting: ArchivePlace.url.key,
                fix: "Look with sluicectl archive status, or correct the setting")
        }
        return names.map { LogReader(store, names: $0, verifiers: nil) }
    }

    /// The log of a partition; it has no leaves if it does not exist.
    ///
    /// - Throws: a ``StartupError`` for a topic that is not a valid log name.
    func reader(of partition: KafkaTopicPartition) throws(StartupError) -> LogReader {
        do throws(ObjectStoreError) {
            return LogReader(store, names: try LogNames(partition), verifiers: nil)
        } catch {
            throw StartupError(
                "no log exists for \(PlainText.printable("\(partition)"))", fix: "Look with sluicectl archive status")
        }
    }

    /// The log of checkpoints; nil for an archive without one.
    ///
    /// - Throws: a ``StartupError`` when the store cannot be read.
    func checkpointLog() async throws -> LogReader? {
        let reader = LogReader(store, names: try .checkpointLog(), verifiers: nil)
        do throws(LogReadError) {
            return try await reader.checkpoint() == nil ? nil : reader
        } catch { throw StartupError(error) }
    }

    /// All logs of the archive.
    func all() async throws(StartupError) -> [LogReader] {
        do throws(LogReadError) {
            return try await LogReader.logs(in: store).map { LogReader(store, names: $0, verifiers: nil) }
        } catch { throw StartupError(error) }
    }

    /// Returns the index of the first leaf whose object is kept; 0 when none was ever deleted.
    func firstKept(_ names: LogNames) async throws(StartupError) -> Int {
        let found: StoredObject?
        do throws(ObjectStoreError) {
            found = try await store.read(names.retention())
        } catch {
            throw StartupError(
                "\(names.prefix): \(error.message)", fix: "Look whether the archive is available",
                exitCode: .archiveUnreadable)
        }
        guard let found else { return 0 }
        guard let note = try? SignedNote(bytes: found.bytes), let retention = Retention(text: note.text) else {
            throw StartupError.unsound("\(names.prefix)/retention is not what an archive writes")
        }
        return retention.minimum
    }
}

extension StartupError {
    /// An error in reading a log.
    init(_ error: LogReadError) {
        switch error.code {
        case .storage:
            self.init("\(error)", fix: "Look whether the archive is available", exitCode: .archiveUnreadable)
        default: self = .unsound("\(error)")
        }
    }

    /// An error for contents that no archive writes.
    static func unsound(_ message: String) -> StartupError {
        StartupError(
            message, fix: "Find the first invalid record with: sluicectl archive verify", exitCode: .archiveTampered)
    }
}

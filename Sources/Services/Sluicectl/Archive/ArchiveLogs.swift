internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import TransparencyLog

/// The logs of an archive, as read by commands. The readers do not verify signatures.
struct ArchiveLogs: Sendable {
    let store: any ObjectStore

    /// - Throws: a `ConfigurationError` that names `archive.url`.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        store = try ArchivePlace.openStore(configuration, creating: false)
    }

    /// Returns readers for the selected logs, in ascending order of topic and partition.
    ///
    /// - Throws: a ``StartupError`` if the store cannot be read or has no such log.
    func readers(of isWanted: (KafkaTopic) -> Bool) async throws(StartupError) -> [LogReader] {
        let names: [LogNames]
        do throws(ArchiveError) {
            names = try await LogReader.logs(in: store).filter { isWanted($0.partition.topic) }
        } catch { throw StartupError(error) }
        guard !names.isEmpty else {
            throw StartupError(
                "the archive has no such log", setting: ArchivePlace.url.key,
                fix: "Run sluicectl archive status, or correct the setting")
        }
        return names.map { LogReader(store, names: $0, verifiers: nil) }
    }

    /// Returns a reader for a partition's log. A log that does not exist has no leaves.
    ///
    /// - Throws: a ``StartupError`` if the topic is not a valid log name.
    func reader(of partition: KafkaTopicPartition) throws(StartupError) -> LogReader {
        do throws(ObjectStoreError) {
            return LogReader(store, names: try LogNames(partition), verifiers: nil)
        } catch {
            throw StartupError(
                "no log exists for \(PlainText.printable("\(partition)"))", fix: "Run sluicectl archive status")
        }
    }

    /// Returns a reader for the checkpoint log, or nil if the archive has none.
    ///
    /// - Throws: a ``StartupError`` if the store cannot be read.
    func checkpointLog() async throws -> LogReader? {
        let reader = LogReader(store, names: try .checkpointLog(), verifiers: nil)
        do throws(ArchiveError) {
            return try await reader.checkpoint() == nil ? nil : reader
        } catch { throw StartupError(error) }
    }

    /// Returns readers for all logs in the archive.
    func all() async throws(StartupError) -> [LogReader] {
        do throws(ArchiveError) {
            return try await LogReader.logs(in: store).map { LogReader(store, names: $0, verifiers: nil) }
        } catch { throw StartupError(error) }
    }

    /// Returns the index of the first leaf whose object is still retained, or 0 if no object was ever deleted.
    func firstKept(_ names: LogNames) async throws(StartupError) -> Int {
        let found: StoredObject?
        do throws(ObjectStoreError) {
            found = try await store.read(names.retention())
        } catch {
            throw StartupError(
                "\(names.prefix): \(error.message)", fix: "Check that the archive is reachable",
                exitCode: .archiveUnreadable)
        }
        guard let found else { return 0 }
        guard let note = try? SignedNote(bytes: found.bytes), let retention = Retention(text: note.text) else {
            throw StartupError.unsound("\(names.prefix)/retention was not written by an archive")
        }
        return retention.minimum
    }
}

extension StartupError {
    /// Creates the error for a log that cannot be read.
    init(_ error: ArchiveError) {
        switch error.code {
        case .storage:
            self.init("\(error)", fix: "Check that the archive is reachable", exitCode: .archiveUnreadable)
        default: self = .unsound("\(error)")
        }
    }

    /// Returns the error for invalid contents, which a bug or tampering must have caused.
    static func unsound(_ message: String) -> StartupError {
        StartupError(
            message, fix: "Find the first invalid record with: sluicectl archive verify", exitCode: .archiveTampered)
    }
}

internal import FoundationEssentials
internal import Glibc
internal import Kafka
internal import Lifecycle
internal import SQLite
internal import Telemetry

/// The database file of a keyed state. Only one process opens it, and it is renamed if it is damaged.
struct StateFile {
    let path: String
    let logger: Logger

    /// Path of an empty file that marks the database as damaged; created when damage is found during use.
    private var marker: String { path + ".damaged" }

    /// Opens or creates the file; a damaged file is renamed and rebuilt from Kafka.
    ///
    /// - Parameters:
    ///   - dictionary: the model's ``StateModel/dictionary``.
    ///   - now: milliseconds since 1970; used in the new name of a damaged file.
    /// - Throws: a `StartupError` if this process cannot use the file.
    func open(topics: [KafkaTopic], dictionary: [UInt8] = [], now: Int64) throws(StartupError) -> StateStore {
        do throws(StateError) {
            do throws(StateError) {
                if FileManager.default.fileExists(atPath: marker) {
                    throw StateError(.damaged, "the damage was detected while the file was in use")
                }
                try removeInterrupted()
                return try StateStore(database(), topics: topics, dictionary: dictionary)
            } catch  where error.code == .damaged {
                try setAside(error, now: now)
                let store = try StateStore(database(), topics: topics, dictionary: dictionary)
                try store.readAllRecords()
                return store
            }
        } catch {
            throw refusal(error)
        }
    }

    /// Makes the next start rename the file, because SQLite does not detect all damage when it opens a file.
    func markDamaged() {
        _ = FileManager.default.createFile(atPath: marker, contents: nil)
    }

    /// Removes a database left by an interrupted restore.
    private func removeInterrupted() throws(StateError) {
        let marker = RestoreMarker(database: path)
        guard marker.exists else { return }
        do { try Database.remove(path: path) } catch { throw StateError(error) }
        try marker.remove()
        logger.warning("a restore of the state was interrupted; restoring all rows", [LogField(.path, path)])
    }

    private func setAside(_ error: StateError, now: Int64) throws(StateError) {
        let aside = "\(path).damaged-\(now)"
        logger.error(
            "state database was damaged and has been renamed; rebuilding it from Kafka",
            [LogField(.path, aside), LogField(.error, error.message)])
        do {
            if FileManager.default.fileExists(atPath: path) {
                try FileManager.default.moveItem(atPath: path, toPath: aside)
            }
            for suffix in ["-wal", "-shm", "-journal", ".damaged", ".restoring"]
            where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
        } catch {
            throw StateError(.damaged, "\(path) is damaged and cannot be moved to \(aside)")
        }
    }

    private func database() throws(StateError) -> sending Database {
        do {
            // A leftover log means that the previous owner did not close the file.
            var log = stat()
            let wasLeftOpen = stat(path + "-wal", &log) == 0 && log.st_size > 0
            let database = try Database(path: path)
            if wasLeftOpen, let problem = try database.quickCheck().first { throw StateError(.damaged, problem) }
            return database
        } catch {
            throw StateError(error)
        }
    }

    /// Returns the startup error for a file that cannot be used.
    func refusal(_ error: StateError) -> StartupError {
        let fix =
            switch error.code {
            case .ownedByAnother: "Stop the other process, or give this one a directory of its own"
            case .damaged: "Move \(path) away and restart the process; the file is rebuilt from Kafka"
            case .newer: "Run the version that wrote it, or a later one"
            default: "Specify a directory that this user can write to and that has free space"
            }
        return StartupError(
            "cannot open \(path): \(error.message)", setting: "data.dir", fix: fix,
            exitCode: error.code == .newer ? .configuration : .failure)
    }
}

internal import Foundation
internal import SQLite
internal import Telemetry

/// The file of a keyed state: opened by one process, and set aside when it is damaged.
struct StateFile {
    let path: String
    let logger: Logger

    /// Opens or makes the file.
    ///
    /// - Parameter now: milliseconds since 1970, for the name of what is set aside.
    func open<Model: StateModel>(
        model: Model, now: Int64,
        publish: @escaping @Sendable ([StateStore<Model>.Change]) -> StatePublisher.Group
    ) throws(StateError) -> StateStore<Model> {
        do throws(StateError) {
            return try StateStore(database(), model: model, publish: publish)
        } catch  where error.code == .damaged {
            let aside = "\(path).damaged-\(now)"
            logger.error(
                "state database is damaged, set aside: it is built anew from Kafka",
                [LogField(.path, aside), LogField(.error, error.message)])
            do {
                try FileManager.default.moveItem(atPath: path, toPath: aside)
                for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                    try FileManager.default.removeItem(atPath: path + suffix)
                }
            } catch {
                throw StateError(.damaged, "\(path) is damaged and cannot be moved to \(aside)")
            }
            return try StateStore(database(), model: model, publish: publish)
        }
    }

    private func database() throws(StateError) -> sending Database {
        do {
            // A log that was left behind means that the last owner did not close the file.
            let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
            let wasLeftOpen = size ?? 0 > 0
            let database = try Database(path: path)
            if wasLeftOpen, let problem = try database.quickCheck().first { throw StateError(.damaged, problem) }
            return database
        } catch {
            throw StateError(error)
        }
    }
}

internal import Configuration
internal import Dispatch
internal import HTTPServer
internal import Lifecycle
internal import Telemetry

/// The read API's listener, and the store behind it.
final class EntitlementsService: Service {
    let name = "entitlements read api"
    private let store: EntitlementsStore
    private let reader: EntitlementsReader
    private let server: HTTPServer
    private let host: String
    private let logger: Logger

    init(store: EntitlementsStore, api: ReadAPI, host: String, port: Int, logger: Logger) {
        self.store = store
        self.host = host
        self.logger = logger
        reader = api.reader
        server = HTTPServer(listeners: [api.listener(host: host, port: port)])
    }

    /// The port of the read API; 0 before `start()`.
    var port: UInt16 { server.port() }

    func start() async throws {
        do {
            try server.start()
        } catch {
            await closeDatabase()
            throw StartupError(
                error.message,
                setting: error.code == .badHost ? EntitlementsSettings.host.key : EntitlementsSettings.port.key,
                fix: error.code == .badHost ? "Give an address of this machine" : "Choose a free port")
        }
        logger.info(
            "ready",
            [
                LogField(.listener, "entitlements"), LogField(.host, host), LogField(.port, port),
                LogField(.path, store.path),
            ])
    }

    /// After the pipeline has stopped: nothing merges any more. Answers what was asked, then closes the database.
    func stop(within limit: Duration) async {
        await server.drain(within: min(limit / 2, .seconds(2)))
        await closeDatabase()
    }

    /// The last connection to close writes the log back into the file, which may take a while.
    private func closeDatabase() async {
        await reader.close()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [store] in
                store.close()
                continuation.resume()
            }
        }
    }
}

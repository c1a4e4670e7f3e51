internal import ArchiveKeys
internal import Lifecycle
internal import PipelineRuntime
internal import Telemetry

/// Rewraps data keys with the first key-encryption key after a rotation, while archiving continues.
final class KeyWrapping: Service {
    let name = "key wrapping"
    private let keys: KeyStore
    private let logger: Logger

    init(keys: KeyStore, logger: Logger) {
        self.keys = keys
        self.logger = logger
    }

    func start() async throws {}

    func run() async throws {
        await withTaskExecutorPreference(HandlerThreads.shared) {
            do {
                let count = try keys.rewrap()
                if count > 0 { logger.info("keys were rewrapped", [LogField(.keys, count)]) }
            } catch {
                // The previous key-encryption key is still configured; the next start tries again.
                logger.warning("some keys could not be rewrapped", [LogField(.error, "\(error)")])
            }
        }
        // Returning would end the process.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    func stop(within limit: Duration) async {}
}

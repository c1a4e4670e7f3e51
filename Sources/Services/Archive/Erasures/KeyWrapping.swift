internal import ArchiveKeys
internal import Lifecycle
internal import PipelineRuntime
internal import Telemetry

extension TaskService {
    /// After a rotation, rewraps data keys with the first configured key-encryption key, while archiving continues.
    static func keyWrapping(_ keys: KeyStore, logger: Logger) -> TaskService {
        TaskService("key wrapping") {
            await withTaskExecutorPreference(HandlerThreads.shared) {
                do {
                    let count = try keys.rewrap()
                    if count > 0 { logger.info("keys were rewrapped", [LogField(.keys, count)]) }
                } catch {
                    // The previous key-encryption key is still configured, so the next start retries.
                    logger.warning("some keys could not be rewrapped", [LogField(.error, "\(error)")])
                }
            }
        }
    }
}

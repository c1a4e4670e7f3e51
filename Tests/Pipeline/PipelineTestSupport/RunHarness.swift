package import Lifecycle
internal import Synchronization
internal import TestSupport

/// Runs a service's `run()` on its own, and records its error.
package final class RunHarness: Sendable {
    private let failure = Mutex<StartupError?>(nil)
    private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

    package init(_ run: @escaping @Sendable () async throws -> Void) {
        // `end()` cancels the task.
        let running = Task { [self] in
            do {
                try await run()
            } catch {
                failure.withLock { $0 = error as? StartupError }
            }
        }
        task.withLock { $0 = running }
    }

    /// Waits for a failure, or returns nil if there is none in time.
    package func failed() async throws -> StartupError? {
        _ = await eventually { failure.withLock { $0 != nil } }
        end()
        return failure.withLock { $0 }
    }

    package func end() { task.withLock { $0 }?.cancel() }
}

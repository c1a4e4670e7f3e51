/// Runs a check for due work after each wake and each pause. Wakes during a check are coalesced into one.
///
/// Used by services that run beside a handler and process stored rows rather than records.
package final class DueLoop: Sendable {
    private let pause: @Sendable () async throws -> Void
    private let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameter pause: waits until the next regular check; throws if its task is cancelled.
    package init(pause: @escaping @Sendable () async throws -> Void) { self.pause = pause }

    /// Requests a check, because work may be due.
    package func wake() { wakes.continuation.yield() }

    /// Prevents further checks.
    package func finish() { wakes.continuation.finish() }

    /// Runs checks until `finish` is called or the task is cancelled.
    package func run(_ look: () async -> Void) async {
        await withTaskGroup { group in
            group.addTask { [self] in
                repeat { wake() } while (try? await pause()) != nil
            }
            for await _ in wakes.stream { await look() }
            group.cancelAll()
        }
    }
}

/// Looks at what is due: whenever something may be, and after each pause. Wakes that come during a look are one.
///
/// For services beside a handler, whose work is a property of rows and not of records.
package final class DueLoop: Sendable {
    private let pause: @Sendable () async throws -> Void
    private let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameter pause: between two looks when nothing else happens; throws when its task is cancelled.
    package init(pause: @escaping @Sendable () async throws -> Void) { self.pause = pause }

    /// Something may be due.
    package func wake() { wakes.continuation.yield() }

    /// No further look begins.
    package func finish() { wakes.continuation.finish() }

    /// Looks until it is finished, or its task is cancelled.
    package func run(_ look: () async -> Void) async {
        await withTaskGroup { group in
            group.addTask { [self] in
                repeat { wake() } while (try? await pause()) != nil
            }
            for await _ in wakes.stream { await look() }
            group.cancelAll()
        }
    }

    /// Never returns by itself: a service whose `run` returned would end the process.
    package static func rest() async throws { while true { try await Task.sleep(for: .seconds(86_400)) } }
}

internal import Dispatch
internal import Glibc
internal import Synchronization

/// Converts SIGTERM and SIGINT into a stream, and exits if the process does not end in time.
///
/// Dispatch receives signals on any thread, so it does not matter which threads already exist.
package enum SignalWatch {
    /// Returns a stream of signal names, and starts ignoring SIGPIPE. After the first signal, the process has `maximum`
    /// to finish. On timeout or a second signal, calls `hurry` with the reason and exits immediately with code 1.
    package static func triggers(maximum: Duration, hurry: @escaping @Sendable (StaticString) -> Void) -> AsyncStream<
        String
    > {
        signal(SIGPIPE, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
        let queue = DispatchQueue(label: "signals")
        let first = FirstTime()
        for (number, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                // The handler is never removed, so it keeps the source alive.
                _ = source.isCancelled
                guard first.isNow() else { return end("second signal", hurry) }
                continuation.yield(name)
                // The group itself enforces `maximum`. This limit applies if services block every thread in the pool.
                let limit = maximum + .seconds(1)
                queue.asyncAfter(deadline: .now() + .milliseconds(Int(limit / .milliseconds(1)))) {
                    end("shutdown took too long", hurry)
                }
            }
            source.activate()
        }
        return stream
    }

    private static func end(_ reason: StaticString, _ hurry: @Sendable (StaticString) -> Void) {
        hurry(reason)
        _exit(ExitCode.failure.rawValue)
    }
}

/// A flag that is true only the first time it is read.
private final class FirstTime: Sendable {
    private let passed = Atomic(false)

    func isNow() -> Bool { !passed.exchange(true, ordering: .relaxed) }
}

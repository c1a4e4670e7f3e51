internal import Dispatch
internal import Glibc
internal import Synchronization

/// Turns SIGTERM and SIGINT into a stream, and exits if the process does not end in time.
///
/// Dispatch receives signals on any thread, so threads that already exist do not matter.
package enum SignalWatch {
    /// Returns a stream of signal names, and ignores SIGPIPE from now on. After the first signal, the process has
    /// `maximum` to finish. When that time has passed, or on a second signal, `hurry` is called with the reason and the
    /// process exits immediately with code 1.
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
                // The source lives as long as its handler; the handler is never removed.
                _ = source.isCancelled
                guard first.isNow() else { return end("second signal", hurry) }
                continuation.yield(name)
                // The group enforces the maximum itself; this limit covers services that block every thread of the
                // pool.
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

/// A flag that returns true from its first `isNow` call only.
private final class FirstTime: Sendable {
    private let passed = Atomic(false)

    func isNow() -> Bool { !passed.exchange(true, ordering: .relaxed) }
}

internal import Dispatch
internal import Glibc
internal import Synchronization

/// Turns SIGTERM and SIGINT into a stream, and ends the process when it does not end by itself.
///
/// Dispatch catches the signals whichever thread they reach, so it does not matter which threads exist already.
package enum SignalWatch {
    /// The names of the signals; SIGPIPE is ignored from now on. After the first one the process has `maximum` left:
    /// when that is over, or with a second signal, `hurry` is called with the reason and the process ends at once with
    /// exit code 1.
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
                // The source lives as long as its handler, which is never removed.
                _ = source.isCancelled
                guard first.isNow() else { return end("second signal", hurry) }
                continuation.yield(name)
                // The group keeps the maximum itself; this is for services that block every thread of the pool.
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

/// True once.
private final class FirstTime: Sendable {
    private let passed = Atomic(false)

    func isNow() -> Bool { !passed.exchange(true, ordering: .relaxed) }
}

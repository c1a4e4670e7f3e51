internal import Glibc

/// Turns SIGTERM and SIGINT into a stream, on a thread of its own, and ends the process when it does not end by itself.
enum SignalWatch {
    /// Blocks both signals in this thread and in all that it starts, and ignores SIGPIPE. Called while no other thread
    /// exists, or only threads that block all signals, as that of the log does.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        var signals = watched()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// The name of the first signal. After it the process has `maximum` left: when that is over, or with a second
    /// signal, `hurry` is called with the reason and the process ends at once with exit code 1.
    static func triggers(maximum: Duration, hurry: @escaping @Sendable (String) -> Void) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
        startThread {
            var signals = watched()
            var number: Int32 = 0
            while sigwait(&signals, &number) != 0 {}
            continuation.yield(number == SIGINT ? "SIGINT" : "SIGTERM")
            // The group keeps the maximum itself; this is for services that block every thread of the pool.
            let (seconds, attoseconds) = (maximum + .seconds(1)).components
            var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
            while true {
                let second = sigtimedwait(&signals, nil, &time)
                if second < 0, errno == EINTR { continue }
                hurry(second < 0 ? "shutdown took too long" : "second signal")
                _exit(ExitCode.failure.rawValue)
            }
        }
        return stream
    }

    private static func watched() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(body))
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        if result == 0 {
            pthread_detach(thread)
        } else {
            // Without the thread the signals keep their usual effect: they end the process.
            context.release()
            var signals = watched()
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        }
    }
}

internal import CSockets
internal import Synchronization

/// Starts the loop's thread.
enum LoopThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread that takes no signals. Returns 0 or an errno.
    static func start(name: StaticString, _ body: @escaping @Sendable () -> Void) -> Int32 {
        let box = Unmanaged.passRetained(
            Body {
                name.withUTF8Buffer { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { text in
                        if let start = text.baseAddress { cs_thread_prepare(start) }
                    }
                }
                body()
            })
        let error = cs_thread_start(
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        if error != 0 { box.release() }
        return error
    }
}

/// Lets others wait for the end of the loop.
final class LoopEnd: Sendable {
    private struct State {
        var isReached = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func reached() {
        let waiting = state.withLock { state in
            state.isReached = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if !state.isReached { state.waiting.append(continuation) }
                return state.isReached
            }
            if isReached { continuation.resume() }
        }
    }
}

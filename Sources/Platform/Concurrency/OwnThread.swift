internal import CThreads

/// Starts threads for work that blocks, which must not run on the pools of Swift and Dispatch.
package enum OwnThread {
    /// What the new thread is given, as one object for the C function.
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// What `/proc/self/task` calls the calling thread.
    package static var id: Int32 { ct_thread_id() }

    /// Runs `body` on a new, detached thread on which all signals are blocked: they belong to the thread that waits
    /// for them, and a write to a closed pipe fails with `EPIPE` instead.
    ///
    /// - Parameters:
    ///   - name: for tools such as `top -H`; the system keeps 15 bytes of it.
    ///   - stackBytes: 0: the system's default.
    /// - Returns: 0, or the `errno` because of which there is no thread; `body` is not called then.
    package static func start(name: String, stackBytes: Int = 0, _ body: @escaping @Sendable () -> Void) -> Int32 {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        let error = ct_thread_start(
            { context in
                guard let context else { return nil }
                let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                ct_thread_name(start.name)
                start.body()
                return nil
            }, start.toOpaque(), max(0, stackBytes))
        if error != 0 { start.release() }
        return error
    }
}

internal import CSystem

/// Starts threads for blocking work, which must not run on the thread pools of Swift or Dispatch.
package enum OwnThread {
    /// The new thread's arguments, in an object that can pass through C.
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// The id of the calling thread, as in `/proc/self/task`.
    package static var id: Int32 { ct_thread_id() }

    /// Runs `body` on a new, detached thread with all signals blocked, so that other threads handle signals, and
    /// writing to a closed pipe fails with `EPIPE`.
    ///
    /// - Parameters:
    ///   - name: the name shown by tools such as `top -H`, truncated to 15 bytes by the system.
    ///   - stackBytes: the stack size in bytes; 0 means the system's default.
    /// - Returns: 0, or the `errno` if the thread could not be created; in that case, `body` is not called.
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

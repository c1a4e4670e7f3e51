internal import Synchronization

/// A pool of reusable OpenSSL contexts: creating a context can cost more than using it.
///
/// The pool holds no more contexts than were in use at once, and at most ``capacity``.
final class ContextPool: Sendable {
    /// A context owned by the caller that took it.
    struct Context: @unchecked Sendable {
        // @unchecked Sendable because a context is taken out of the pool before use: only one thread has it at a time.
        let raw: OpaquePointer
    }

    /// Maximum number of idle contexts; further threads create and free their own.
    static let capacity = 16

    private let idle = Mutex<[Context]>([])
    private let free: @Sendable (OpaquePointer) -> Void

    /// - Parameter free: frees a context.
    init(free: @escaping @Sendable (OpaquePointer) -> Void) {
        self.free = free
    }

    deinit {
        for context in idle.withLock({ $0 }) { free(context.raw) }
    }

    /// Returns an idle context; nil if there is none, in which case the caller creates one.
    func take() -> Context? { idle.withLock { $0.popLast() } }

    /// Returns a reusable context to the pool. The caller frees a context that failed.
    func giveBack(_ context: Context) {
        let isKept = idle.withLock { idle in
            guard idle.count < Self.capacity else { return false }
            idle.append(context)
            return true
        }
        if !isKept { free(context.raw) }
    }
}

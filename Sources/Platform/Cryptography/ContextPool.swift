internal import Synchronization

/// A pool of reusable OpenSSL contexts, because creating a context can cost more than using it.
///
/// The pool never contains more contexts than were ever in use at the same time, and never more than ``capacity``.
final class ContextPool: Sendable {
    /// A context, owned by the caller that took it from the pool.
    struct Context: @unchecked Sendable {
        // @unchecked Sendable because a context is removed from the pool before use, so only one thread has it at a
        // time.
        let raw: OpaquePointer
    }

    /// The maximum number of idle contexts. Above that, threads create and free their own.
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

    /// Returns an idle context, or nil if the caller must create one.
    func take() -> Context? { idle.withLock { $0.popLast() } }

    /// Returns a reusable context to the pool. After an error, the caller must free the context instead.
    func giveBack(_ context: Context) {
        let isKept = idle.withLock { idle in
            guard idle.count < Self.capacity else { return false }
            idle.append(context)
            return true
        }
        if !isKept { free(context.raw) }
    }
}

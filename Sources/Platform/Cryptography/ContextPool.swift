internal import Synchronization

/// OpenSSL contexts that are ready to be used again: making one costs more than some of the work that is done with it.
///
/// No more are made than are used at once, and no more than ``capacity`` are kept.
final class ContextPool: Sendable {
    /// A context that belongs to whoever took it.
    struct Context: @unchecked Sendable {
        // @unchecked Sendable because a context is taken out of the pool before it is used: one thread has it at a time.
        let raw: OpaquePointer
    }

    /// More threads than this at once make contexts of their own.
    static let capacity = 16

    private let idle = Mutex<[Context]>([])
    private let free: @Sendable (OpaquePointer) -> Void

    /// - Parameter free: ends the life of a context.
    init(free: @escaping @Sendable (OpaquePointer) -> Void) {
        self.free = free
    }

    deinit {
        for context in idle.withLock({ $0 }) { free(context.raw) }
    }

    /// One that was used before; nil when there is none, and the caller makes one.
    func take() -> Context? { idle.withLock { $0.popLast() } }

    /// Takes a context back that is fit for the next use. One that failed is freed by its user.
    func giveBack(_ context: Context) {
        let isKept = idle.withLock { idle in
            guard idle.count < Self.capacity else { return false }
            idle.append(context)
            return true
        }
        if !isKept { free(context.raw) }
    }
}

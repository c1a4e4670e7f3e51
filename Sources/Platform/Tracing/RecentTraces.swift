internal import Primitives
internal import Synchronization
package import Telemetry

/// The traces of the latest recorded changes, keyed by row, for work that happens after the handler call. The oldest
/// keys are evicted; later work on their rows starts a new trace.
package final class RecentTraces: Sendable {
    private struct State {
        var contexts: [[UInt8]: TraceParent] = [:]
        var order = FIFO<[UInt8]>()
    }

    private let capacity: Int
    private let state = Mutex(State())

    package init(capacity: Int = 1_024) { self.capacity = max(1, capacity) }

    /// Remembers the span that changed a row.
    package func remember(_ context: TraceParent, forKey key: [UInt8]) {
        state.withLock { state in
            if state.contexts.updateValue(context, forKey: key) == nil { state.order.append(key) }
            while state.contexts.count > capacity, let oldest = state.order.popFirst() {
                state.contexts[oldest] = nil
            }
        }
    }

    /// Returns the last recorded span that changed a row, or nil if there is none or its key has been evicted.
    package func context(ofKey key: [UInt8]) -> TraceParent? { state.withLock { $0.contexts[key] } }
}

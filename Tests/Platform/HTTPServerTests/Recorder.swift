import Synchronization

/// Collects values from other threads.
final class Recorder<Value: Sendable>: Sendable {
    private let stored = Mutex<[Value]>([])

    func append(_ value: Value) { stored.withLock { $0.append(value) } }

    var values: [Value] { stored.withLock { $0 } }
}

/// Waits for a state; false when it does not come within the time.
func eventually(within limit: Duration = .seconds(10), _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        if ContinuousClock.now >= end { return false }
        // The state is made by another thread; this only lets it run.
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}

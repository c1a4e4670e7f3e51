import Synchronization

/// Collects values from other threads.
final class Recorder<Value: Sendable>: Sendable {
    private let stored = Mutex<[Value]>([])

    func append(_ value: Value) { stored.withLock { $0.append(value) } }

    var values: [Value] { stored.withLock { $0 } }
}

internal import Synchronization

/// Values collected from several threads.
final class Outcomes<Value: Sendable>: Sendable {
    private let all = Mutex<[Value]>([])

    func add(_ value: Value) { all.withLock { $0.append(value) } }

    var values: [Value] { all.withLock { $0 } }
}

internal import Synchronization

/// What several threads bring together.
final class Outcomes<Value: Sendable>: Sendable {
    private let all = Mutex<[Value]>([])

    func add(_ value: Value) { all.withLock { $0.append(value) } }

    var values: [Value] { all.withLock { $0 } }
}

internal import Synchronization

/// Generates random trace and span ids with xoshiro256**, because a system call for each id would cost more than the
/// rest of an unrecorded span. The ids are identifiers, not secrets.
package final class SpanIds: Sendable {
    private struct State {
        var words: (UInt64, UInt64, UInt64, UInt64)

        mutating func next() -> UInt64 {
            let product = words.1 &* 5
            let result = (product << 7 | product >> 57) &* 9
            let shifted = words.1 << 17
            words.2 ^= words.0
            words.3 ^= words.1
            words.1 ^= words.2
            words.0 ^= words.3
            words.2 ^= shifted
            words.3 = words.3 << 45 | words.3 >> 19
            return result
        }

        /// Returns a nonzero number, because an id of zeros is invalid.
        mutating func nextId() -> UInt64 {
            while true {
                let id = next()
                if id != 0 { return id }
            }
        }
    }

    private let state: Mutex<State>

    /// Seeds the generator from the system.
    package convenience init() {
        self.init(seed: (.random(in: 1 ... .max), .random(in: 0 ... .max), .random(in: 0 ... .max), 0))
    }

    /// - Parameter seed: four words that are not all zero.
    package init(seed: (UInt64, UInt64, UInt64, UInt64)) {
        state = Mutex(State(words: seed))
    }

    func nextId() -> UInt64 { state.withLock { $0.nextId() } }

    /// Returns the two words of a trace id, and a span id.
    func nextIds() -> (high: UInt64, low: UInt64, span: UInt64) {
        state.withLock { ($0.nextId(), $0.nextId(), $0.nextId()) }
    }
}

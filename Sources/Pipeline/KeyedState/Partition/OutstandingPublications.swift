internal import Synchronization

/// A partition's publications that the brokers have not answered yet. Brokers refuse a batch of records as a whole, so
/// a refusal concerns a single publication only if no other publication was outstanding at the same time.
final class OutstandingPublications: Sendable {
    private struct State {
        var count = 0
        /// Number of the last publication that was sent while another one was outstanding.
        var lastOverlapping: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Notes that a publication was sent.
    ///
    /// - Parameter number: greater than the numbers of earlier publications.
    func sent(_ number: UInt64) {
        state.withLock { state in
            if state.count > 0 { state.lastOverlapping = number }
            state.count += 1
        }
    }

    /// Records the brokers' answer to a publication.
    ///
    /// - Returns: whether no other publication was outstanding in the meantime.
    func answered(_ number: UInt64) -> Bool {
        state.withLock { state in
            state.count -= 1
            return number > state.lastOverlapping
        }
    }
}

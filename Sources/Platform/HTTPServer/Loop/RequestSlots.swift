/// The requests in work: each has a slot, and its answer names the slot and the generation.
///
/// A slot is given back by the first answer, also when it comes after the deadline or after the client went away: what
/// is bounded is the work behind the server. An answer to an older generation finds another one and is dropped.
struct RequestSlots {
    struct Request {
        let slot: Int
        let connection: UInt32
        let number: UInt32
        let bodyBytes: Int
    }

    private var requests: [Request?] = []
    private var generations: [UInt32] = []
    private var free: [Int] = []
    private let limit: Int
    private(set) var taken = 0

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { taken >= limit }

    /// The caller has looked at `isFull`.
    mutating func acquire(_ request: Request) -> (slot: Int, generation: UInt32) {
        taken += 1
        if let slot = free.popLast() {
            requests[slot] = request
            return (slot, generations[slot])
        }
        requests.append(request)
        generations.append(0)
        return (requests.count - 1, 0)
    }

    /// Nil: answered before.
    mutating func release(_ slot: Int, _ generation: UInt32) -> Request? {
        guard requests.indices.contains(slot), generations[slot] == generation, let request = requests[slot] else {
            return nil
        }
        requests[slot] = nil
        generations[slot] &+= 1
        free.append(slot)
        taken -= 1
        return request
    }
}

/// The requests in work: each has a place, and its answer names the place and the generation.
///
/// A place is given back by the first answer, also when it comes after the deadline or after the client went away: what
/// is bounded is the work behind the server. An answer to an older generation finds another one and is dropped.
struct Places {
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
    mutating func take(_ request: Request) -> (place: Int, generation: UInt32) {
        taken += 1
        if let place = free.popLast() {
            requests[place] = request
            return (place, generations[place])
        }
        requests.append(request)
        generations.append(0)
        return (requests.count - 1, 0)
    }

    /// Nil: answered before.
    mutating func giveBack(_ place: Int, _ generation: UInt32) -> Request? {
        guard requests.indices.contains(place), generations[place] == generation, let request = requests[place] else {
            return nil
        }
        requests[place] = nil
        generations[place] &+= 1
        free.append(place)
        taken -= 1
        return request
    }
}

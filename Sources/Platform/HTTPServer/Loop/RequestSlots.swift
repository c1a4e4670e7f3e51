internal import Concurrency

/// The requests in progress: each has a slot, and its response names the slot and the generation.
///
/// A slot is released by the first response, also when it comes after the deadline or after the client went away: what
/// is bounded is the work behind the server. A response to an earlier generation finds another one and is dropped.
struct RequestSlots {
    struct Request {
        let connection: SlotTable<Connection>.Key
        let number: UInt32
        let bodyBytes: Int
    }

    typealias Key = SlotTable<Request>.Key

    private var requests = SlotTable<Request>()
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var taken: Int { requests.count }
    var isFull: Bool { taken >= limit }

    /// The caller has looked at `isFull`.
    mutating func acquire(_ request: Request) -> Key { requests.insert { _ in request } }

    /// Nil: answered before.
    mutating func release(_ key: Key) -> Request? { requests.remove(key) }
}

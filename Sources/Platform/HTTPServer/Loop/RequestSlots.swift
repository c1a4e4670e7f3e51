internal import Primitives

/// The requests in progress. Each request has a slot, and its response contains the slot's number and generation.
///
/// A slot remains in use until the handler's first response, even if the deadline has passed or the client is gone. The
/// number of slots thus limits the work in the handlers. A response with an outdated generation is dropped.
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

    /// Acquires a slot. The caller must have checked `isFull`.
    mutating func acquire(_ request: Request) -> Key { requests.insert { _ in request } }

    /// Releases a slot and returns its request, or nil if the handler has already responded.
    mutating func release(_ key: Key) -> Request? { requests.remove(key) }
}

/// A whole request: head accepted, body complete.
public struct HTTPRequest: Sendable {
    public let head: RequestHead
    public let body: [UInt8]
    /// The network the client belongs to (/24 or /56), not its address: the peer's, or the one that a proxy named.
    package let network: NetworkPrefix
    /// A proxy passed the request on and did not name its client, or not readably: `network` is the proxy's.
    package let hasUnknownClient: Bool
    /// When the first byte of the request came, or the connection for its first request: monotonic nanoseconds.
    package let startedAt: UInt64
    /// When the request was dispatched: monotonic nanoseconds. The handler deadline counts from here.
    package let receivedAt: UInt64

    package init(
        head: RequestHead, body: [UInt8], network: NetworkPrefix, hasUnknownClient: Bool = false, startedAt: UInt64,
        receivedAt: UInt64
    ) {
        self.head = head
        self.body = body
        self.network = network
        self.hasUnknownClient = hasUnknownClient
        self.startedAt = startedAt
        self.receivedAt = receivedAt
    }
}

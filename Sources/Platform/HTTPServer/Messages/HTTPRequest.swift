/// A complete request: head accepted, body received.
public struct HTTPRequest: Sendable {
    public let head: RequestHead
    public let body: [UInt8]
    /// The client's network (/24 or /56) rather than its address: the peer's, or the one reported by a proxy.
    package let network: NetworkPrefix
    /// Whether a proxy passed the request on without a readable client address; `network` is then the proxy's.
    package let hasUnknownClient: Bool
    /// Time at which the first byte arrived or, for the first request, the connection was accepted, in monotonic
    /// nanoseconds.
    package let startedAt: UInt64
    /// Time of dispatch in monotonic nanoseconds. The handler deadline is measured from here.
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

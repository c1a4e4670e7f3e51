/// A complete request, with its body.
public struct HTTPRequest: Sendable {
    public let head: RequestHead
    public let body: [UInt8]
    /// The network (/24 or /56) of the client, as reported by a proxy, or of the peer. The address is not stored.
    package let network: NetworkPrefix
    /// Whether a proxy reported no readable client address. If so, `network` is the proxy's.
    package let hasUnknownClient: Bool
    /// Whether the peer is one of the listener's trusted proxies.
    package let isFromProxy: Bool
    /// The time when the first byte arrived or, for a connection's first request, when the connection was accepted, in
    /// monotonic nanoseconds.
    package let startedAt: UInt64
    /// The time of dispatch, in monotonic nanoseconds. The handler deadline is relative to it.
    package let receivedAt: UInt64

    package init(
        head: RequestHead, body: [UInt8], network: NetworkPrefix, hasUnknownClient: Bool = false,
        isFromProxy: Bool = false, startedAt: UInt64, receivedAt: UInt64
    ) {
        self.head = head
        self.body = body
        self.network = network
        self.hasUnknownClient = hasUnknownClient
        self.isFromProxy = isFromProxy
        self.startedAt = startedAt
        self.receivedAt = receivedAt
    }
}

/// How proxies report the client. Only reports from trusted proxies are used, because any client can send these fields.
package enum ForwardedAddress: String, Sendable, CaseIterable {
    /// Reported clients are ignored, and the peer is the client.
    case off
    /// The `Forwarded` field (RFC 7239).
    case forwarded
    /// The `X-Forwarded-For` field.
    case xForwardedFor = "x-forwarded-for"
    /// A PROXY protocol header, version 2, before the first request of each connection.
    case proxyProtocol = "proxy-protocol"
}

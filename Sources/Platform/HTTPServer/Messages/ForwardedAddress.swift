/// Which of a proxy's ways to name its client is read. Only the word of one's own proxies counts: anybody can write
/// these fields.
package enum ForwardedAddress: String, Sendable, CaseIterable {
    /// None: the client is whoever connects.
    case off
    /// The field `Forwarded` (RFC 7239).
    case forwarded
    /// The field `X-Forwarded-For`.
    case xForwardedFor = "x-forwarded-for"
    /// A PROXY protocol header, version 2, before the first request of each connection.
    case proxyProtocol = "proxy-protocol"
}

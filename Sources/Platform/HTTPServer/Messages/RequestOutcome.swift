/// The outcome of one request. Every request has an outcome, even if it was refused by the parser or received no
/// response.
package struct RequestOutcome: Sendable {
    /// The index of the listener in the server's list.
    package let listener: Int
    /// The reason code of the response, or one of the server's own codes (`method`, `unauthorized`, `empty`,
    /// `too_large`, `framing`, `proxy_header`, `headers`, `uri`, `slow`, `idle`, `encoding`, `expect`, `aborted`,
    /// `rate`, `evicted`, `overload`, `memory`, `deadline`, `drain`, `reset`).
    package let reason: String
    /// The response status, or 0 if the connection was closed without a response.
    package let status: Int
    /// The number of body bytes received.
    package let bodyBytes: Int
    package let network: NetworkPrefix
    /// The time from the start of the request to its outcome, in nanoseconds.
    package let nanoseconds: UInt64
}

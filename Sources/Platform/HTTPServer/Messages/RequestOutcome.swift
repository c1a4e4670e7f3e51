/// The outcome of one request. Every request has one, including those refused by the parser and those without a
/// response.
package struct RequestOutcome: Sendable {
    /// Index of the listener in the server's list.
    package let listener: Int
    /// Reason code from the response, or one of the server's own codes (`method`, `empty`, `too_large`, `framing`,
    /// `proxy_header`, `headers`, `uri`, `slow`, `idle`, `encoding`, `expect`, `aborted`, `rate`, `evicted`,
    /// `overload`, `memory`, `deadline`, `drain`, `reset`).
    package let reason: String
    /// Status of the response; 0 if the connection ended without one.
    package let status: Int
    /// Body bytes received.
    package let bodyBytes: Int
    package let network: NetworkPrefix
    /// Time from the start of the request to its outcome, in nanoseconds.
    package let nanoseconds: UInt64
}

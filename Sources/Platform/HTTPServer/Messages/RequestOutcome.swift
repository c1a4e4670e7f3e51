/// How one request ended: one for every request, those that the parser refused and those without an answer included.
package struct RequestOutcome: Sendable {
    /// The index of the listener in the server's list.
    package let listener: Int
    /// The code of the reason: the answer's own, or one of the server's (`method`, `empty`, `too_large`, `framing`,
    /// `proxy_header`, `headers`, `uri`, `slow`, `idle`, `encoding`, `expect`, `aborted`, `rate`, `evicted`, `overload`, `memory`,
    /// `deadline`, `drain`, `reset`).
    package let reason: String
    /// 0: the connection ended without a response.
    package let status: Int
    /// Body bytes that had arrived.
    package let bodyBytes: Int
    package let network: NetworkPrefix
    /// From the start of the request to the decision, in nanoseconds.
    package let nanoseconds: UInt64
}

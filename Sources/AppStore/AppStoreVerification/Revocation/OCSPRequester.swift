/// Sends OCSP requests; the ingress does it over its HTTP client, tests answer from memory.
public protocol OCSPRequester: Sendable {
    /// POSTs `request` as `application/ocsp-request` to `address` and returns the body of a 200 answer.
    ///
    /// Redirects are not followed, no proxy of the environment is used, and a body above 64 KiB is an error. The
    /// address comes from a certificate under which a signature was verified.
    /// - Throws: anything when there is no such answer within `timeout`; it counts as "no new knowledge".
    func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8]
}

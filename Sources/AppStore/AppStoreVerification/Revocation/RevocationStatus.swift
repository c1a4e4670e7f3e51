/// What is known about revocation, for metrics, logs and alerts.
public struct RevocationStatus: Sendable, Hashable {
    /// Answers and failures by kind since the start.
    public var outcomes: [String: Int] = [:]
    /// Certificates with a good answer that still counts.
    public var good = 0
    /// Certificates that their issuer revoked.
    public var revoked = 0
    /// Certificates without an answer that counts.
    public var unknown = 0
    /// Notifications accepted without an answer (policy `soft`).
    public var acceptedUnknown = 0
    /// An answer has been missing for five minutes or longer, or a certificate is revoked.
    public var needsAttention = false
}

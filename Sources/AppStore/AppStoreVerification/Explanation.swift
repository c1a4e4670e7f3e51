/// A verdict with every step and certificate, for people: `sluicectl verify FILE`.
public struct Explanation: Sendable {
    /// What kind of signed object the payload is.
    public enum Kind: String, Sendable {
        case notification, transaction, renewalInfo, appTransaction, unknown
    }

    public enum Outcome: String, Sendable {
        case passed, failed
        /// An earlier step failed.
        case notReached
        /// The step does not apply: no body around a bare JWS, no network for revocation.
        case skipped
    }

    public struct Step: Sendable {
        public let step: VerificationStep
        public let outcome: Outcome
        /// The reason's code and what it means, for a step that failed; otherwise empty or a remark.
        public let detail: String
    }

    /// One entry of `x5c` as it stands there, trusted or not.
    public struct Certificate: Sendable {
        /// Distinguished name in one line.
        public let subject: String
        public let issuer: String
        /// Lower-case hexadecimal.
        public let serial: String
        /// Seconds since 1970; nil when the date is not readable.
        public let notBefore: Int64?
        /// Seconds since 1970; nil when the date is not readable.
        public let notAfter: Int64?
    }

    public let kind: Kind
    /// In the order in which they run.
    public let steps: [Step]
    public let certificates: [Certificate]
    /// As for a body received now; nil for a bare transaction, renewal info or app transaction that is good.
    public let verdict: Verdict?
    /// Why it is not good; nil when it is.
    public let reason: Reason?
    /// The decoded payload, only when everything is good.
    public let payload: [UInt8]?

    /// Whether every step passed.
    public var isGood: Bool { !steps.contains { $0.outcome == .failed } }
}

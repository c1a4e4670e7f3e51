/// How a check ends the decision. Internal; callers of the verifier get a ``Verdict``.
enum Rejection: Error {
    case refused(Refusal)
    /// Signed by Apple and for us, but not as documented.
    case nonconforming(Reason, detail: String)
    case tooManyNewCertificateChains
}

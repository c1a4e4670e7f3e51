/// Check 12: no certificate of the path is revoked, and what is not known is allowed by the policy.
enum RevocationCheck {
    /// A revoked path leaves `cache` at once.
    static func check(
        _ header: KnownHeader, by checker: RevocationChecker, in cache: ChainCache, at now: Int64
    ) throws(Rejection) {
        let path = header.path
        var isUnknown = false
        for standing in header.standings {
            switch standing.known(at: now) {
            case .good: continue
            case .unknown: isUnknown = true
            case .revoked:
                cache.drop(path)
                throw .refused(
                    Refusal(
                        .revoked, at: .revocation, .forbidden, detail: "a certificate is revoked",
                        certificates: path.serials))
            }
        }
        guard isUnknown else { return }
        guard checker.policy != .strict else {
            throw .refused(
                Refusal(
                    .revocationUnknown, at: .revocation, .unavailable, detail: "no answer about revocation is known",
                    certificates: path.serials))
        }
        checker.countAcceptedUnknown()
    }
}

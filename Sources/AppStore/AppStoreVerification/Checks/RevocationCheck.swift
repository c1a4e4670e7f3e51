/// Check 12: no certificate of the path is revoked, and what is not known is allowed by the policy.
enum RevocationCheck {
    static func check(
        _ standings: [RevocationStanding], of path: ValidatedPath, by checker: RevocationChecker, at now: Int64
    ) throws(Rejection) {
        var isUnknown = false
        for standing in standings {
            switch standing.known(at: now) {
            case .good: continue
            case .unknown: isUnknown = true
            case .revoked:
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

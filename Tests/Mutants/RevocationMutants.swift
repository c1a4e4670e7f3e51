// Check 12: the revocation of certificates, and the validity of OCSP responses.

private let verification = "AppStore/AppStoreVerification/"
private let check = MutatedFile(
    .revocation, "12", verification + "Checks/SignatureChecks.swift", suites: "RevocationTests")
private let verifier = MutatedFile(
    .revocation, "12", verification + "NotificationDecision.swift", suites: "RevocationTests")
private let nested = MutatedFile(
    .revocation, "12", verification + "Checks/NestedObjectChecks.swift", suites: "RevocationTests")
private let standing = MutatedFile(
    .revocation, "12", verification + "RevocationState.swift",
    suites: "RevocationTests|RevocationStateTests|RevocationMemoryTests")
private let state = MutatedFile(
    .revocation, "12", verification + "RevocationState.swift",
    suites: "RevocationTests|RevocationStateTests|RevocationMemoryTests")
private let answer = MutatedFile(
    .revocation, "12", "Platform/Cryptography/OCSPRequest.swift", suites: "OCSPTests|OCSPAnswerTests")
private let http = MutatedFile(
    .revocation, "12", "AppStore/AppStoreSettings/OCSPOverHTTP.swift", suites: "OCSPOverHTTPTests")

enum RevocationMutants {
    static let all: [Mutant] = [
        verifier.without(
            "revocation",
            "try SignatureChecks.checkRevocation(of: object.header, by: revocation, in: objects.cache, at: now)"),
        nested.without(
            "revocation-nested",
            "try SignatureChecks.checkRevocation(of: object.header, by: revocation, in: verifier.cache, at: now)"),
        check.mutant("revocation-strict", "checker.policy != .strict", "true"),
        check.mutant("revocation-unknown", "standings.contains(where: { $0.known(at: now) == .unknown })", "false"),
        verifier.without(
            "revocation-of-others", "try SignatureChecks.checkValidity(of: path, at: now)",
            instead: "_ = revocation.standings(of: path, at: now); try SignatureChecks.checkValidity(of: path, at: now)"
        ),
        state.mutant("revocation-unused", "Self.difference(now, entry.lastUse) <= Self.inUse", "true"),
        state.mutant("revocation-forgotten", "Self.difference(now, entry.lastUse) < Self.kept", "true"),
        check.without("revocation-drop", "cache.drop(checker.revokedCertificates(of: path, at: now))"),
        check.mutant(
            "revocation-drop-siblings", "checker.revokedCertificates(of: path, at: now)",
            "[path.leaf, path.intermediate]"),
        standing.mutant("revocation-good-permanently", "now <= goodUntil.load(ordering: .relaxed)", "true"),
        standing.mutant("revocation-revoked", "revoked.load(ordering: .relaxed)", "false"),
        state.mutant("revocation-greatest-age", "min(next, latest)", "next"),
        state.mutant("revocation-one-flight", "!entry.isAsking", "true"),
        state.mutant("revocation-due", "entry.nextQuestion <= now", "true"),
        state.without("revocation-set-back", "rescheduleIfSetBack(to: now)"),
        state.mutant(
            "revocation-revoked-is-kept", "$0.value.standing.known(at: .max) != .revoked", "true"),
        state.mutant("revocation-bound", "entries.count >= Self.capacity", "false"),
        state.mutant(
            "revocation-alert", "Self.difference(now, entry.unknownSince ?? now) >= Self.alertAfter", "false"),

        answer.mutant("ocsp-size", "bytes.count <= OCSPLimits.responseByteCount", "true"),
        answer.mutant("ocsp-trailing-bytes", "cursor == end", "true"),
        answer.mutant(
            "ocsp-status", "OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL", "true"),
        answer.mutant("ocsp-critical-extension", "OCSP_BASICRESP_get_ext_by_critical(basic, 1, -1) < 0", "true"),
        answer.mutant(
            "ocsp-weak-signature", "Self.acceptedSignatures.contains(shim_ocsp_signature_nid(basic))", "true"),
        answer.without("ocsp-signature", "try verifySignature(of: basic, at: now)"),
        answer.mutant(
            "ocsp-responder-usage", "UInt(OCSP_NOEXPLICIT)", "UInt(OCSP_NOEXPLICIT) | UInt(OCSP_NOCHECKS)"),
        answer.without("ocsp-responder-time", "X509_VERIFY_PARAM_set_time(parameters, time_t(now))"),
        answer.without("ocsp-responder-strength", "X509_VERIFY_PARAM_set_auth_level(parameters, 2)"),
        answer.mutant("ocsp-nonce", "comparison == 1 || comparison == -1", "true"),
        answer.mutant("ocsp-nonce-absent", "comparison == 1 || comparison == -1", "comparison == 1"),
        answer.without("ocsp-certificate", "throw .wrongCertificate", instead: "break"),
        answer.mutant("ocsp-critical-single-extension", "single.has_critical_extension == 0", "true"),
        answer.mutant("ocsp-window", "(nextUpdate ?? .max) >= single.this_update", "true"),
        answer.mutant(
            "ocsp-revoked-when-stale", "single.status == V_OCSP_CERTSTATUS_REVOKED",
            "single.status == V_OCSP_CERTSTATUS_REVOKED && (nextUpdate ?? .max) >= now && single.this_update <= now"),
        answer.mutant("ocsp-early", "single.this_update - OCSPLimits.clockSkew <= now", "true"),
        answer.mutant("ocsp-late", "last >= now", "true"),
        answer.mutant("ocsp-unknown", "single.status == V_OCSP_CERTSTATUS_GOOD", "true"),

        http.mutant("ocsp-http-status", "response.status == 200", "true"),
        http.mutant("ocsp-http-size", "64 * 1024", "1 << 30"),
    ]
}

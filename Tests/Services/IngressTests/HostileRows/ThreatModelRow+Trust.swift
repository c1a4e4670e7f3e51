/// Rows H-59 to H-98: certificates and signatures.
extension ThreatModelRow {
    static let trust: [ThreatModelRow] = [
        ThreatModelRow("H-59", "crit under an untrusted certificate chain", .refused(403, "chain_root")),
        ThreatModelRow("H-60", "crit or b64 under a good signature", .quarantined("profile_crit")),
        ThreatModelRow("H-61", "an embedded key (jwk)", .refused(403, "chain_root")),
        ThreatModelRow("H-62", "x5u and jku to a trap, kid with a path", .accepted),
        ThreatModelRow("H-63", "a self-signed leaf three times", .refused(403, "chain_root")),
        ThreatModelRow("H-64", "x5c of 0, 1, 10,000, missing", .refused(400, "x5c_form")),
        ThreatModelRow("H-65", "x5c of other types", .refused(400, "x5c_form")),
        ThreatModelRow("H-66", "random bytes as certificates", .refused(400, "x5c_der"), .refused(400, "x5c_form")),
        ThreatModelRow("H-67", "PEM, line breaks, base64url", .refused(400, "x5c_form")),
        ThreatModelRow("H-68", "DER followed by two bytes", .refused(400, "x5c_der")),
        ThreatModelRow("H-69", "a complete look-alike certificate chain", .refused(403, "chain_root")),
        ThreatModelRow("H-70", "look-alike certificates and the real root", .refused(403, "chain_root")),
        ThreatModelRow(
            "H-71", "a look-alike leaf over the real intermediate", .refused(403, "chain_sig"),
            .refused(403, "chain_root")),
        ThreatModelRow("H-72", "the real certificate chain, another key", .refused(403, "signature")),
        ThreatModelRow("H-73", "a leaf without its marker", .refused(403, "leaf_marker")),
        ThreatModelRow("H-74", "an intermediate without its marker", .refused(403, "inter_marker")),
        ThreatModelRow("H-75", "an end-entity certificate that issues", .refused(403, "not_ca")),
        ThreatModelRow("H-76", "an issuer without basicConstraints; a path too long", .refused(403, "not_ca")),
        ThreatModelRow(
            "H-77", "expired for up to 48 hours; for longer", .refused(503, "cert_time"), .refused(403, "cert_time"),
            .accepted),
        ThreatModelRow("H-78", "expired, with a signedDate from before", .refused(403, "cert_time")),
        ThreatModelRow(
            "H-79", "valid within 48 hours; later", .refused(503, "cert_time"), .refused(403, "cert_time"), .accepted),
        ThreatModelRow("H-80", "unknown critical extensions", .refused(403, "cert_ext"), .accepted),
        ThreatModelRow("H-81", "a leaf with another kind of key", .refused(403, "leaf_key")),
        ThreatModelRow("H-82", "name and policy constraints", .refused(403, "cert_ext")),
        ThreatModelRow(
            "H-83", "a certificate of 3 KB; of 1 MiB", .refused(400, "x5c_form"), .closed(413, "too_large"), .accepted),
        ThreatModelRow("H-84", "leaf and intermediate swapped; a path of another length", .refused(403, "chain_root")),
        ThreatModelRow(
            "H-85", "a third certificate that is garbage, or another certificate", .quarantined("profile_chain"),
            .accepted),
        ThreatModelRow("H-86", "two or four certificates", .quarantined("profile_chain")),
        ThreatModelRow("H-87", "60 intermediates", .refused(400, "x5c_form")),
        ThreatModelRow("H-88", "weak or other algorithms in the path", .refused(403, "chain_sig"), .accepted),
        ThreatModelRow("H-89", "a revoked certificate", .refused(403, "revoked"), elsewhere: "RevocationRowTests"),
        ThreatModelRow(
            "H-90", "no usable answer about revocation", .refused(503, "ocsp_unknown"), .accepted,
            elsewhere: "RevocationRowTests"),
        ThreatModelRow("H-91", "a signature of zeros", .refused(403, "signature")),
        ThreatModelRow("H-92", "r or s out of range", .refused(403, "signature")),
        ThreatModelRow("H-93", "a DER signature", .refused(400, "jws_sig_len")),
        ThreatModelRow("H-94", "a signature of 0, 63, 65 bytes", .refused(400, "jws_sig_len")),
        ThreatModelRow("H-95", "each of the 512 bits flipped", .refused(403, "signature")),
        ThreatModelRow("H-96", "the twin signature (r, n - s)", .accepted, .duplicate),
        ThreatModelRow("H-97", "another notification's signature", .refused(403, "signature")),
        ThreatModelRow("H-98", "a changed payload", .refused(403, "signature")),
    ]
}

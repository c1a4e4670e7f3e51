/// Rows H-59 to H-98: certificates and signatures.
extension SpecificationRow {
    static let trust: [SpecificationRow] = [
        SpecificationRow("H-59", "crit, own chain", .refused(403, "chain_root")),
        SpecificationRow("H-60", "crit or b64 under a good signature", .quarantined("profile_crit")),
        SpecificationRow("H-61", "an embedded key", .refused(403, "chain_root")),
        SpecificationRow("H-62", "x5u and jku to a trap, kid with a path", .accepted),
        SpecificationRow("H-63", "a self-signed leaf three times", .refused(403, "chain_root")),
        SpecificationRow("H-64", "x5c of 0, 1, 10,000, missing", .refused(400, "x5c_form")),
        SpecificationRow("H-65", "x5c of other types", .refused(400, "x5c_form")),
        SpecificationRow("H-66", "random bytes as certificates", .refused(400, "x5c_der"), .refused(400, "x5c_form")),
        SpecificationRow("H-67", "PEM, line breaks, base64url", .refused(400, "x5c_form")),
        SpecificationRow("H-68", "DER and two bytes", .refused(400, "x5c_der")),
        SpecificationRow("H-69", "a complete look-alike chain", .refused(403, "chain_root")),
        SpecificationRow("H-70", "look-alikes and the real root", .refused(403, "chain_root")),
        SpecificationRow(
            "H-71", "a look-alike leaf over the real intermediate", .refused(403, "chain_sig"),
            .refused(403, "chain_root")),
        SpecificationRow("H-72", "the real chain, another key", .refused(403, "signature")),
        SpecificationRow("H-73", "a leaf without its marker", .refused(403, "leaf_marker")),
        SpecificationRow("H-74", "an intermediate without its marker", .refused(403, "inter_marker")),
        SpecificationRow("H-75", "an end entity that issues", .refused(403, "not_ca")),
        SpecificationRow("H-76", "no basicConstraints; path too long", .refused(403, "not_ca")),
        SpecificationRow(
            "H-77", "expired for 48 hours, for longer", .refused(503, "cert_time"), .refused(403, "cert_time"),
            .accepted),
        SpecificationRow("H-78", "expired, with a date from its time", .refused(403, "cert_time")),
        SpecificationRow(
            "H-79", "valid within 48 hours, later", .refused(503, "cert_time"), .refused(403, "cert_time"), .accepted),
        SpecificationRow("H-80", "unknown critical extensions", .refused(403, "cert_ext"), .accepted),
        SpecificationRow("H-81", "other keys in the leaf", .refused(403, "leaf_key")),
        SpecificationRow("H-82", "constraints of names and policies", .refused(403, "cert_ext")),
        SpecificationRow(
            "H-83", "a certificate of 3 KB, of 1 MiB", .refused(400, "x5c_form"), .closed(413, "too_large"), .accepted),
        SpecificationRow("H-84", "leaf and intermediate swapped", .refused(403, "chain_root")),
        SpecificationRow("H-85", "the third certificate garbage", .quarantined("profile_chain")),
        SpecificationRow("H-86", "two or four certificates", .quarantined("profile_chain")),
        SpecificationRow("H-87", "60 intermediates", .refused(400, "x5c_form")),
        SpecificationRow("H-88", "weak or other algorithms in the path", .refused(403, "chain_sig"), .accepted),
        SpecificationRow("H-89", "revoked", .refused(403, "revoked"), elsewhere: "RevocationRowTests"),
        SpecificationRow(
            "H-90", "no answer about revocation that counts", .refused(503, "ocsp_unknown"), .accepted,
            elsewhere: "RevocationRowTests"),
        SpecificationRow("H-91", "a signature all zero", .refused(403, "signature")),
        SpecificationRow("H-92", "r or s out of range", .refused(403, "signature")),
        SpecificationRow("H-93", "a DER signature", .refused(400, "jws_sig_len")),
        SpecificationRow("H-94", "0, 63, 65 bytes", .refused(400, "jws_sig_len")),
        SpecificationRow("H-95", "each of the 512 bits flipped", .refused(403, "signature")),
        SpecificationRow("H-96", "the twin (r, n - s)", .accepted, .duplicate),
        SpecificationRow("H-97", "another's signature", .refused(403, "signature")),
        SpecificationRow("H-98", "the payload changed", .refused(403, "signature")),
    ]
}

/// Rows H-28 to H-58: the body and the format of the JWS.
extension ThreatModelRow {
    static let bodies: [ThreatModelRow] = [
        ThreatModelRow(
            "H-28", "a body that is not JSON, or of more than 1,000 names or elements", .refused(400, "json"),
            .accepted),
        ThreatModelRow("H-29", "a JSON array, text, number or null", .refused(400, "json_shape")),
        ThreatModelRow("H-30", "no signedPayload", .refused(400, "json_shape")),
        ThreatModelRow("H-31", "signedPayload of another type", .refused(400, "json_shape")),
        ThreatModelRow("H-32", "a duplicate member", .refused(400, "json_dup")),
        ThreatModelRow("H-33", "unknown members", .accepted),
        ThreatModelRow("H-34", "100,000 levels", .refused(400, "json")),
        ThreatModelRow("H-35", "invalid UTF-8", .refused(400, "json")),
        ThreatModelRow("H-36", "UTF-16, UTF-32, a byte order mark", .refused(400, "json")),
        ThreatModelRow("H-37", "NUL or control bytes in texts", .refused(400, "json")),
        ThreatModelRow("H-38", "bytes after the object", .refused(400, "json")),
        ThreatModelRow("H-39", "1e400, or a number of any length, in an unknown member", .accepted),
        ThreatModelRow(
            "H-40", "version 1 for an app without a shared secret", .refused(403, "v1_disabled"),
            .refused(400, "json_shape")),
        ThreatModelRow("H-41", "version 1 for an app that is not configured", .refused(403, "v1_disabled")),
        ThreatModelRow("H-42", "members of both versions in one body", .refused(400, "json_shape")),
        ThreatModelRow("H-43", "two or four segments", .refused(400, "jws_form")),
        ThreatModelRow("H-44", "empty segments", .refused(400, "jws_form")),
        ThreatModelRow("H-45", "white space and other foreign characters", .refused(400, "jws_form")),
        ThreatModelRow("H-46", "padding", .refused(400, "jws_b64")),
        ThreatModelRow("H-47", "plus and solidus in place of hyphen and underscore", .refused(400, "jws_b64")),
        ThreatModelRow("H-48", "spare bits", .refused(400, "jws_b64")),
        ThreatModelRow("H-49", "the JSON serialization of a JWS", .refused(400, "jws_form")),
        ThreatModelRow("H-50", "a JWE of five parts", .refused(400, "jws_form")),
        ThreatModelRow("H-51", "a header that is not a JSON object", .refused(400, "jws_header")),
        ThreatModelRow("H-52", "a header nested 60,000 deep", .refused(400, "jws_header")),
        ThreatModelRow("H-53", "alg twice", .refused(400, "jws_header")),
        ThreatModelRow(
            "H-54", "a signature of 100,000 bytes, of 1 MiB", .refused(400, "jws_sig_len"), .closed(413, "too_large")),
        ThreatModelRow("H-55", "alg none in every spelling", .refused(400, "alg")),
        ThreatModelRow("H-56", "HS256 keyed with the leaf's public key", .refused(400, "alg")),
        ThreatModelRow("H-57", "any other alg", .refused(400, "alg")),
        ThreatModelRow("H-58", "no alg", .refused(400, "alg")),
    ]
}

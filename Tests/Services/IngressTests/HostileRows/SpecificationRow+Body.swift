/// Rows H-28 to H-58: the body and the form of the JWS.
extension SpecificationRow {
    static let bodies: [SpecificationRow] = [
        SpecificationRow("H-28", "not JSON", .refused(400, "json")),
        SpecificationRow("H-29", "an array, text, number, null", .refused(400, "json_shape")),
        SpecificationRow("H-30", "no signedPayload", .refused(400, "json_shape")),
        SpecificationRow("H-31", "signedPayload of another type", .refused(400, "json_shape")),
        SpecificationRow("H-32", "a member twice", .refused(400, "json_dup")),
        SpecificationRow("H-33", "unknown members", .accepted),
        SpecificationRow("H-34", "100,000 levels", .refused(400, "json")),
        SpecificationRow("H-35", "invalid UTF-8", .refused(400, "json")),
        SpecificationRow("H-36", "UTF-16, UTF-32, a byte order mark", .refused(400, "json")),
        SpecificationRow("H-37", "NUL or control bytes in texts", .refused(400, "json")),
        SpecificationRow("H-38", "bytes after the object", .refused(400, "json")),
        SpecificationRow("H-39", "1e400 or a number of any length in an unknown member", .accepted),
        SpecificationRow(
            "H-40", "version 1 for an app without it", .refused(403, "v1_disabled"), .refused(400, "json_shape")),
        SpecificationRow("H-41", "version 1 for no app of ours", .refused(403, "v1_disabled")),
        SpecificationRow("H-42", "both versions in one body", .refused(400, "json_shape")),
        SpecificationRow("H-43", "two or four segments", .refused(400, "jws_form")),
        SpecificationRow("H-44", "empty segments", .refused(400, "jws_form")),
        SpecificationRow("H-45", "white space and other letters", .refused(400, "jws_form")),
        SpecificationRow("H-46", "padding", .refused(400, "jws_b64")),
        SpecificationRow("H-47", "plus and solidus", .refused(400, "jws_b64")),
        SpecificationRow("H-48", "spare bits", .refused(400, "jws_b64")),
        SpecificationRow("H-49", "the JSON serialization", .refused(400, "jws_form")),
        SpecificationRow("H-50", "a JWE of five parts", .refused(400, "jws_form")),
        SpecificationRow("H-51", "a header that is no JSON object", .refused(400, "jws_header")),
        SpecificationRow("H-52", "a header nested 60,000 deep", .refused(400, "jws_header")),
        SpecificationRow("H-53", "alg twice", .refused(400, "jws_header")),
        SpecificationRow(
            "H-54", "a signature of 100,000 bytes, of 1 MiB", .refused(400, "jws_sig_len"), .closed(413, "too_large")),
        SpecificationRow("H-55", "alg none in every spelling", .refused(400, "alg")),
        SpecificationRow("H-56", "HS256 keyed with the leaf's public key", .refused(400, "alg")),
        SpecificationRow("H-57", "any other alg", .refused(400, "alg")),
        SpecificationRow("H-58", "no alg", .refused(400, "alg")),
    ]
}

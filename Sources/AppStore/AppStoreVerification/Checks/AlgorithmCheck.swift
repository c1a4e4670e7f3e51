/// Check 5: `alg` is exactly `ES256`. The algorithm is ours; the header can only agree (RFC 8725 section 3.1).
enum AlgorithmCheck {
    private static let expected = Array("ES256".utf8)

    static func check(_ header: JWSHeader) throws(Rejection) {
        // Compared as bytes: "ES256\u0000" and look-alikes of Unicode are something else.
        guard let algorithm = header.algorithm, Array(algorithm.utf8) == expected else {
            throw .refused(Refusal(.algorithm, at: .algorithm, .badRequest, detail: "alg is not ES256"))
        }
    }
}

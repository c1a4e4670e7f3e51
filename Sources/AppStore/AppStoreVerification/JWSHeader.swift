internal import AppStoreModel
internal import JSON

/// What is read of a JWS header; everything else in it (`kid`, `jwk`, `jku`, `x5u`) is ignored and never fetched.
struct JWSHeader {
    /// `alg`; nil when absent or no text.
    let algorithm: String?
    /// `x5c`; nil when absent or not an array of texts.
    let certificateTexts: [String]?
    /// `crit` or `b64` is present (RFC 7515 section 4.1.11, RFC 7797).
    let hasCriticalMembers: Bool

    /// Above this, `x5c` is refused by its count and its texts are not looked at.
    private static let greatestCount = 4

    /// - Throws: a rejection with `jws_header` when the bytes are not one JSON object without ambiguity.
    init(_ bytes: [UInt8]) throws(Rejection) {
        guard let document = try? JSONDocument.object(bytes) else {
            throw .refused(
                Refusal(.jwsHeader, at: .compactForm, .badRequest, detail: "the header is not a JSON object"))
        }
        let root = document.root
        algorithm = root["alg"]?.string
        certificateTexts = root["x5c"].flatMap(Self.texts)
        hasCriticalMembers = root["crit"] != nil || root["b64"] != nil
    }

    private static func texts(_ element: JSONElement) -> [String]? {
        guard element.kind == .array else { return nil }
        let elements = element.elements
        guard elements.count <= greatestCount else { return nil }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string else { return nil }
            texts.append(text)
        }
        return texts
    }
}

internal import Primitives

/// A weak entity tag (RFC 9110, 8.8.3). It identifies the content rather than the bytes, because each response body
/// includes the time of the response.
struct EntityTag {
    let text: String

    private static let weak = "W/"

    /// Hashes the content with FNV-1a. The tag only distinguishes versions of the content, so the hash need not be
    /// cryptographic.
    init(of content: [UInt8]) {
        text = "\(Self.weak)\"\(String(FNV1a.hash(content), radix: 16))\""
    }

    /// Returns whether an `If-None-Match` field contains the tag, by weak comparison (RFC 9110, 8.8.3.2 and 13.1.2).
    func isNamed(in field: String) -> Bool {
        let opaque = text.dropFirst(Self.weak.count)
        return field.split(separator: ",").contains { element in
            let element = element.drop { $0 == " " || $0 == "\t" }
            let end = element.lastIndex { $0 != " " && $0 != "\t" }.map(element.index(after:)) ?? element.endIndex
            let tag = element[..<end]
            return tag == "*" || (tag.hasPrefix(Self.weak) ? tag.dropFirst(Self.weak.count) : tag) == opaque
        }
    }
}

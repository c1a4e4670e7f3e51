internal import Bytes

/// A weak entity tag (RFC 9110, 8.8.3): equal contents, not equal bytes, since an answer says the moment it was made.
struct EntityTag {
    let text: String

    private static let weak = "W/"

    /// By FNV-1a, which tells contents apart and is not there to resist anybody.
    init(of content: [UInt8]) {
        text = "\(Self.weak)\"\(String(FNV1a.hash(content), radix: 16))\""
    }

    /// Whether an `If-None-Match` names it, by weak comparison (RFC 9110, 8.8.3.2 and 13.1.2).
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

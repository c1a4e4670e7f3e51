/// An object name: components separated by `/`, relative to the store. A valid name never leads outside the store.
///
/// Components consist of ASCII letters, digits, `.`, `_` and `-`, so that a name has the same bytes in a file system, a
/// URL and a signature. Names are ordered by their bytes, as in S3 listings.
package struct ObjectName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name in the store.
    package let text: String

    /// The maximum length of a name in bytes. S3 allows 1,024, including the prefix in the URL.
    package static let maximumBytes = 900
    /// The maximum length of a component in bytes. It is below the limit for file names, because the name of a
    /// temporary file has additional characters.
    package static let maximumComponentBytes = 200

    /// - Throws: ``ObjectStoreError`` with code `invalidName` if the text is empty or too long, or has a forbidden
    ///   byte, an empty component, or a component that begins with `.`, such as `..` or the name of one of the store's
    ///   own files.
    package init(_ text: String) throws(ObjectStoreError) {
        if let problem = Self.problem(of: text) {
            throw ObjectStoreError(.invalidName, "object name \(Self.visible(text)) \(problem)")
        }
        self.text = text
    }

    /// Returns this name followed by `/` and `rest`.
    ///
    /// - Throws: the same errors as ``init(_:)``.
    package func appending(_ rest: String) throws(ObjectStoreError) -> ObjectName {
        try ObjectName("\(text)/\(rest)")
    }

    /// The components, in order; never empty.
    package var components: [Substring] { text.split(separator: "/") }

    /// The last component.
    package var lastComponent: Substring {
        text[(text.lastIndex(of: "/").map(text.index(after:)) ?? text.startIndex)...]
    }

    /// Everything before the last component, or nil if there is only one.
    package var folder: ObjectName? {
        text.lastIndex(of: "/").map { ObjectName(unchecked: String(text[..<$0])) }
    }

    /// Whether this name is below `prefix`, like a file below a folder.
    package func isBelow(_ prefix: ObjectName) -> Bool {
        text.utf8.count > prefix.text.utf8.count && text.utf8.starts(with: prefix.text.utf8)
            && text.utf8.dropFirst(prefix.text.utf8.count).first == UInt8(ascii: "/")
    }

    package static func < (left: ObjectName, right: ObjectName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package var description: String { text }

    init(unchecked text: String) { self.text = text }

    private static func problem(of text: String) -> String? {
        if text.utf8.count > maximumBytes { return "is longer than \(maximumBytes) bytes" }
        for component in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if component.isEmpty { return "has an empty component" }
            if component.count > maximumComponentBytes {
                return "has a component longer than \(maximumComponentBytes) bytes"
            }
            if component.first == UInt8(ascii: ".") { return "has a component that begins with a period" }
            if !component.allSatisfy(isAllowed) {
                return "has a character other than a letter, a digit, '.', '_' or '-'"
            }
        }
        return nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Returns the text for error messages, shortened and without control characters.
    private static func visible(_ text: String) -> String {
        String(decoding: text.utf8.prefix(100).map { $0 > 32 && $0 < 127 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

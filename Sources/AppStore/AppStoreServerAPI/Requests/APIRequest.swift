/// A request to the App Store Server API, without base URL, token or budget.
package struct APIRequest: Sendable {
    package let operation: APIOperation
    /// The values of the `*` placeholders in the operation's path.
    package var arguments: [String]
    /// The query parameters in the order in which they are sent. A name may occur more than once.
    package var query: [(name: String, value: String)]
    /// The JSON body, sent unchanged.
    package var body: [UInt8]?

    package init(
        _ operation: APIOperation, _ arguments: String..., query: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) {
        self.operation = operation
        self.arguments = arguments
        self.query = query
        self.body = body
    }

    /// Returns the path and query, percent-encoded.
    ///
    /// - Throws: ``APIError`` of kind `invalidRequest` if an argument cannot be one of Apple's identifiers. External
    ///   input must not change the path.
    package func target() throws(APIError) -> String {
        var target = ""
        var rest = arguments[...]
        for segment in operation.path.split(separator: "/") {
            target += "/"
            guard segment == "*" else {
                target += segment
                continue
            }
            guard let argument = rest.popFirst(), Self.isPathArgument(argument) else {
                throw .invalidRequest("\(operation): a path identifier is empty or has invalid characters")
            }
            target += argument
        }
        guard rest.isEmpty else { throw .invalidRequest("\(operation): too many path identifiers") }
        for (index, (name, value)) in query.enumerated() {
            target += index == 0 ? "?" : "&"
            target += Self.percentEncoded(name) + "=" + Self.percentEncoded(value)
        }
        return target
    }

    /// Returns whether the text can be used in a path without encoding: at most 256 letters, digits, hyphens,
    /// underscores and dots, and not only dots. Apple's identifiers and product identifiers contain no other
    /// characters.
    static func isPathArgument(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...256).contains(bytes.count) && bytes.allSatisfy(isPlain) && !bytes.allSatisfy { $0 == 0x2E }
    }

    /// Percent-encodes all characters except unreserved ones (RFC 3986 section 2.1).
    static func percentEncoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) || byte == UInt8(ascii: "~") {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 15] {
                    encoded.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
                }
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The client address in a request's header fields.
///
/// Each proxy appends the address of its caller, so the list is read from its end: trusted proxies are skipped, and the
/// first other address is the client. The client controls everything before that address, so that part must not affect
/// how the end is read: unclosed quotes are ignored, and fields are split as bytes, because a combining character could
/// hide a separator.
enum ForwardedClient: Equatable {
    /// The client's address.
    case address(NetworkPrefix)
    /// The list contains only proxies, so a proxy itself sent the request.
    case proxy
    /// The field is missing, or the relevant element is not an address.
    case unreadable

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")

    init(_ head: RequestHead, named field: ForwardedAddress, proxies: [NetworkPrefix]) {
        let nodes: [ArraySlice<UInt8>?]
        switch field {
        case .off, .proxyProtocol: nodes = []
        case .xForwardedFor:
            // This field has no quoting, so every comma is a separator.
            nodes = head.headers("x-forwarded-for").flatMap {
                Array($0.utf8).split(separator: Self.comma, omittingEmptySubsequences: false)
            }
        case .forwarded:
            nodes = head.headers("forwarded").flatMap { Self.elements(of: Array($0.utf8)) }.map(Self.forParameter)
        }
        for node in nodes.reversed() {
            // If the node is `unknown`, obfuscated or otherwise not an address, the proxy's caller is unknown.
            guard let node, let address = Self.address(of: node) else {
                self = .unreadable
                return
            }
            if !proxies.contains(where: { $0.contains(address) }) {
                self = .address(address)
                return
            }
        }
        self = nodes.isEmpty ? .unreadable : .proxy
    }

    /// Splits one `Forwarded` field into elements (RFC 7239 section 4). If a quote is unclosed, the client opened it
    /// before a proxy appended an element, so only the text after the last comma is returned: the proxy's element.
    private static func elements(of field: [UInt8]) -> [ArraySlice<UInt8>] {
        if let elements = split(field[...], at: comma) { return elements }
        return [field[(field.lastIndex(of: comma).map { $0 + 1 } ?? 0)...]]
    }

    /// Returns the `for` value in one `Forwarded` element, without quotes, or nil if there is none.
    private static func forParameter(_ element: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        for parameter in split(element, at: UInt8(ascii: ";")) ?? [] {
            guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")),
                trimmed(parameter[..<equals]).map(RequestHeadParser.lowercased) == Array("for".utf8)
            else { continue }
            return unquoted(trimmed(parameter[(equals + 1)...]))
        }
        return nil
    }

    /// Splits text at separators outside quotes. Returns nil if a quote is not closed.
    private static func split(_ text: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>]? {
        var parts: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, text[index] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if text[index] == quote {
                isQuoted.toggle()
            } else if !isQuoted, text[index] == separator {
                parts.append(text[start..<index])
                start = index + 1
            }
        }
        return isQuoted ? nil : parts + [text[start...]]
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.count >= 2, text.first == quote, text.last == quote else { return text }
        // A valid address needs no escapes, so a value with a backslash is not an address.
        return text.dropFirst().dropLast()
    }

    /// Parses `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`.
    private static func address(of node: ArraySlice<UInt8>) -> NetworkPrefix? {
        let node = trimmed(node)
        let colon = UInt8(ascii: ":")
        if node.first == UInt8(ascii: "[") {
            guard let end = node.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let rest = node[(end + 1)...]
            guard rest.isEmpty || rest.first == colon else { return nil }
            return NetworkPrefix(address: node[(node.startIndex + 1)..<end])
        }
        let parts = node.split(separator: colon, omittingEmptySubsequences: false)
        return NetworkPrefix(address: parts.count == 2 ? parts[0] : node)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let first = text.first, first == UInt8(ascii: " ") || first == 9 { text.removeFirst() }
        while let last = text.last, last == UInt8(ascii: " ") || last == 9 { text.removeLast() }
        return text
    }
}

/// The client that a request's fields name.
///
/// Each proxy appends the address that it was called from, so the list is read from its end: addresses of one's own
/// proxies are passed over, and the first other one is the client. What stands before it was written by the client.
enum ForwardedClient {
    /// The address of the client; nil when the field is missing, or its end names no address.
    static func address(
        of head: RequestHead, named field: ForwardedAddress, proxies: [NetworkPrefix]
    ) -> NetworkPrefix? {
        let nodes: [Substring?]
        switch field {
        case .off, .proxyProtocol: return nil
        case .xForwardedFor:
            nodes = head.headers("x-forwarded-for").flatMap { split($0[...], at: ",") }
        case .forwarded:
            nodes = head.headers("forwarded").flatMap { split($0[...], at: ",") }.map(forParameter)
        }
        for node in nodes.reversed() {
            // `unknown`, obfuscated, or not an address: who called that proxy is not known.
            guard let node, let address = address(of: node) else { return nil }
            if !proxies.contains(where: { $0.contains(address) }) { return address }
        }
        return nil
    }

    /// The value of `for` in one element of `Forwarded`, without quotes.
    private static func forParameter(_ element: Substring) -> Substring? {
        for parameter in split(element, at: ";") {
            guard let equals = parameter.firstIndex(of: "="),
                trimmed(parameter[..<equals]).lowercased() == "for"
            else { continue }
            return unquoted(trimmed(parameter[parameter.index(after: equals)...]))
        }
        return nil
    }

    /// The parts between separators that are not inside quotes.
    private static func split(_ text: Substring, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, text[index] == "\\" {
                isEscaped = true
            } else if text[index] == "\"" {
                isQuoted.toggle()
            } else if !isQuoted, text[index] == separator {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        return parts + [text[start...]]
    }

    private static func unquoted(_ text: Substring) -> Substring {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return text }
        // No address needs an escape; one with a backslash is not an address.
        return text.dropFirst().dropLast()
    }

    /// `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`.
    private static func address(of node: Substring) -> NetworkPrefix? {
        let node = trimmed(node)
        if node.first == "[" {
            guard let end = node.firstIndex(of: "]") else { return nil }
            let rest = node[node.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            return NetworkPrefix(address: node[node.index(after: node.startIndex)..<end])
        }
        let parts = node.split(separator: ":", omittingEmptySubsequences: false)
        return NetworkPrefix(address: parts.count == 2 ? parts[0] : node)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}

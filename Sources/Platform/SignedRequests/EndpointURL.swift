package import Configuration

/// The parts of a configured service URL that determine whether it is acceptable.
package struct EndpointURL: Sendable, Equatable {
    /// Whether bodies are encrypted in transit.
    package let isEncrypted: Bool
    /// Whether the URL contains a user name and possibly a password. If so, do not print a rejected URL.
    package let hasUser: Bool
    /// The problem with the URL, worded to follow the URL's name, such as `is not an https:// URL`. Nil if there is
    /// none, and always nil if ``hasUser`` is true.
    package let problem: String?
    private let host: Substring

    package init(_ text: String) {
        let lowercase = text.lowercased()
        isEncrypted = lowercase.hasPrefix("https://")
        guard isEncrypted || lowercase.hasPrefix("http://"), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            host = ""
            hasUser = false
            problem = "is not an https:// URL"
            return
        }
        let authority = text.dropFirst(isEncrypted ? 8 : 7).prefix { !"/?#".contains($0) }
        let (host, port) = Self.split(authority)
        self.host = host
        hasUser = authority.contains("@")
        if hasUser {
            problem = nil
        } else if text.contains("#") {
            problem = "has a fragment, which HTTP requests never include"
        } else if host.isEmpty || port.map({ UInt16($0) ?? 0 }) == 0 {
            problem = "is not an https:// URL with a host"
        } else {
            problem = nil
        }
    }

    /// Whether the host is this machine.
    package var isLoopback: Bool {
        if host.lowercased() == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers.first == 127 && !numbers.contains(nil)
    }

    /// Splits an authority into the host, including the brackets of an IPv6 address, and the port text after the colon.
    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
        let end = authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }
}

extension ValueKind where Value == String {
    /// An absolute `https` or `http` URL without a fragment, because HTTP does not send fragments.
    package static var endpointURL: ValueKind<String> {
        ValueKind(
            name: "URL", expected: "an https:// URL", example: "https://api.example.com/webhooks", text: { $0 }
        ) { text throws(SettingError) in
            if let problem = EndpointURL(text).problem { throw SettingError(problem) }
            return text
        }
    }
}

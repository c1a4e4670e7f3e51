/// An outgoing proxy. `https://` requests use a tunnel (CONNECT). `http://` requests are sent to the proxy in absolute
/// form (RFC 9112 section 3.2.2), because most proxies open tunnels only to port 443, and OCSP uses port 80. Requests
/// to this machine never use the proxy.
public struct HTTPProxy: Sendable, Equatable {
    /// The proxy URL, `http://host:port` or `https://host:port`.
    public var url: String
    /// The credentials as `user:password`. They never appear in messages.
    public var credentials: String?
    /// Hosts reached without the proxy, in addition to this machine.
    public var exceptions: [ProxyException]

    public init(url: String, credentials: String? = nil, exceptions: [ProxyException] = []) {
        self.url = url
        self.credentials = credentials
        self.exceptions = exceptions
    }

    /// The user name and the password, percent-encoded and separated by a colon.
    var encodedCredentials: String? {
        credentials.map { credentials in
            let user = credentials.prefix { $0 != ":" }
            return Self.percentEncoded(user) + ":" + Self.percentEncoded(credentials.dropFirst(user.count + 1))
        }
    }

    private static func percentEncoded(_ text: Substring) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether requests to a host use the proxy.
    func isUsed(for host: RequestHost) -> Bool {
        !host.isLoopback && !exceptions.contains { $0.matches(host) }
    }
}

/// Descriptions omit the credentials.
extension HTTPProxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { url }
    public var debugDescription: String { url }
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

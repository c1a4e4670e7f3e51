/// An outgoing proxy: requests to `https://` go through a tunnel (CONNECT), requests to `http://` are sent to it in
/// absolute form, since most proxies open tunnels to port 443 alone and OCSP uses port 80 (RFC 9112 section 3.2.2). This
/// machine is never asked through it.
public struct HTTPProxy: Sendable, Equatable {
    /// `http://host:port` or `https://host:port`.
    public var url: String
    /// `user:password`; never in a message.
    public var credentials: String?
    /// Hosts that are reached without it, beside this machine.
    public var exceptions: [ProxyException]

    public init(url: String, credentials: String? = nil, exceptions: [ProxyException] = []) {
        self.url = url
        self.credentials = credentials
        self.exceptions = exceptions
    }

    /// User and password, each percent-encoded, with a colon between them.
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

    /// Whether requests to a host go through the proxy.
    func isUsed(for host: RequestHost) -> Bool {
        !host.isLoopback && !exceptions.contains { $0.matches(host) }
    }
}

/// Descriptions leave the credentials out.
extension HTTPProxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { url }
    public var debugDescription: String { url }
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

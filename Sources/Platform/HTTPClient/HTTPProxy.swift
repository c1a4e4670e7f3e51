/// An outgoing proxy that requests go through: a tunnel (CONNECT) for `https://` and for `http://`, so that a refusal of
/// the proxy's is never taken for an answer of the server's. This machine is never asked through it.
public struct HTTPProxy: Sendable, Hashable {
    /// `http://host:port` or `https://host:port`.
    public var url: String
    /// `user:password`; never in a message.
    public var credentials: String?
    /// Hosts and domains that are reached without it.
    public var exceptions: [String]

    public init(url: String, credentials: String? = nil, exceptions: [String] = []) {
        self.url = url
        self.credentials = credentials
        self.exceptions = exceptions
    }

    /// Hosts that are this machine.
    private static let loopback = ["localhost", "127.0.0.0/8", "::1"]

    var noProxy: String { (Self.loopback + exceptions).joined(separator: ",") }
}

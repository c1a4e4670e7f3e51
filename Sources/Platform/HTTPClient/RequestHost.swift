/// The host in a request URL: a name, or an IP address in any notation that libcurl accepts.
struct RequestHost: Equatable {
    /// The host in lower case, without brackets, port or trailing dot.
    let name: String
    /// The IP address, or nil if the host is a name.
    let address: IPAddress?

    /// - Parameter authority: the host and the port, as in a URL.
    init(authority: some StringProtocol) {
        var name = authority.lowercased()
        if name.hasPrefix("[") {
            name = String(name.dropFirst().prefix { $0 != "]" })
        } else {
            name = String(name.prefix { $0 != ":" })
        }
        if name.hasSuffix(".") { name.removeLast() }
        self.name = name
        address = IPAddress(name)
    }

    /// Whether the host is this machine: 127.0.0.0/8, ::1, `localhost` and its subdomains (RFC 6761 section 6.3).
    var isLoopback: Bool { address?.isLoopback ?? (name == "localhost" || name.hasSuffix(".localhost")) }
}

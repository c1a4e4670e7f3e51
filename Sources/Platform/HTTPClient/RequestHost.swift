/// The host of a request's URL: a name, or an IP address in whatever notation libcurl accepts.
struct RequestHost: Equatable {
    /// In lower case, without brackets, port and the root's dot.
    let name: String
    /// Nil for a name.
    let address: IPAddress?

    /// - Parameter authority: host and port, as in a URL.
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

    /// Whether it is this machine: 127.0.0.0/8, ::1, `localhost` and names below it (RFC 6761 section 6.3).
    var isLoopback: Bool { address?.isLoopback ?? (name == "localhost" || name.hasSuffix(".localhost")) }
}

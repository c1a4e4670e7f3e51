/// Hosts reached without the proxy: a domain with its subdomains, an address or a network.
public struct ProxyException: Sendable, Equatable, CustomStringConvertible {
    private enum Hosts: Equatable {
        case domain(String)
        /// The subdomains of a domain, without the domain itself.
        case subdomains(String)
        case network(IPAddress, bits: Int)
    }

    /// The text in the configuration.
    public let description: String
    private let hosts: Hosts

    /// - Parameter text: `example.com` (including its subdomains), `.example.com` (only its subdomains), `10.1.2.3`,
    ///   `fd00::1` or `10.0.0.0/8`. Returns nil for any other text, such as a URL, a port or a pattern with `*`.
    public init?(_ text: String) {
        description = text
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if let first = parts.first, parts.count <= 2, let address = IPAddress(String(first)) {
            let width = address.bytes.count * 8
            guard let bits = parts.count == 1 ? width : Self.bits(parts[1]), bits <= width else { return nil }
            hosts = .network(address, bits: bits)
            return
        }
        let name = text.lowercased()
        let domain = name.hasPrefix(".") ? String(name.dropFirst()) : name
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isNameByte) }) else { return nil }
        hosts = name.hasPrefix(".") ? .subdomains(domain) : .domain(domain)
    }

    func matches(_ host: RequestHost) -> Bool {
        switch hosts {
        case .domain(let domain): host.address == nil && (host.name == domain || host.name.hasSuffix("." + domain))
        case .subdomains(let domain): host.address == nil && host.name.hasSuffix("." + domain)
        case .network(let network, let bits): host.address?.hasPrefix(network, bits: bits) ?? false
        }
    }

    private static func bits(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

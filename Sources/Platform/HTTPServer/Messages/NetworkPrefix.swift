internal import CSystem

/// A network: the leading bits of an address. Peers are identified only by network (/24 for IPv4, /56 for IPv6).
package struct NetworkPrefix: Sendable, Hashable, CustomStringConvertible {
    // The 128 bits of the address, IPv4 as ::ffff:a.b.c.d. Bits after the prefix are zero.
    private let high: UInt64
    private let low: UInt64
    private let isIPv6: Bool
    /// The prefix length in bits: 0 to 32 for IPv4, 0 to 128 for IPv6.
    package let length: Int

    /// - Parameters:
    ///   - address: 16 bytes, IPv4 as ::ffff:a.b.c.d.
    ///   - bits: the prefix length, out of 128 bits.
    private init(address: [UInt8], bits: Int, isIPv6: Bool) {
        let high = address.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = address.dropFirst(8).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.high = bits >= 64 ? high : bits <= 0 ? 0 : high & (UInt64.max << UInt64(64 - bits))
        self.low = bits >= 128 ? low : bits <= 64 ? 0 : low & (UInt64.max << UInt64(128 - bits))
        self.isIPv6 = isIPv6
        length = isIPv6 ? bits : bits - 96
    }

    /// Returns a peer's network: /24 or /56.
    static func ofPeer(_ address: [UInt8]) -> NetworkPrefix {
        let isIPv6 = !isMappedIPv4(address)
        return NetworkPrefix(address: address, bits: isIPv6 ? 56 : 96 + 24, isIPv6: isIPv6)
    }

    /// Returns the prefix that contains only this address.
    static func ofAddress(_ address: [UInt8]) -> NetworkPrefix {
        NetworkPrefix(address: address, bits: 128, isIPv6: !isMappedIPv4(address))
    }

    private static func isMappedIPv4(_ address: [UInt8]) -> Bool {
        address.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff])
    }

    /// Parses `10.0.0.0/8`, `2001:db8::/32`, or a single address. Returns nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        var address = [UInt8](repeating: 0, count: 16)
        let family = cs_parse_address(String(parts[0]), &address)
        guard family > 0 else { return nil }
        let most = family == 6 ? 128 : 32
        var length = most
        if parts.count == 2 {
            guard let given = Int(parts[1]), given >= 0, given <= most else { return nil }
            length = given
        }
        self.init(address: address, bits: family == 6 ? length : 96 + length, isIPv6: family == 6)
    }

    /// Parses a single numeric address without a prefix length. Returns nil for any other text.
    init?(address text: ArraySlice<UInt8>) {
        var address = [UInt8](repeating: 0, count: 16)
        guard cs_parse_address(String(decoding: text, as: UTF8.self), &address) > 0 else { return nil }
        self = .ofAddress(address)
    }

    /// The network of a peer with this address.
    var peerNetwork: NetworkPrefix {
        var address: [UInt8] = []
        for half in [high, low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) { address.append(UInt8(half >> shift & 0xff)) }
        }
        return .ofPeer(address)
    }

    package func contains(_ other: NetworkPrefix) -> Bool {
        guard isIPv6 == other.isIPv6, other.length >= length else { return false }
        let bits = isIPv6 ? length : 96 + length
        let highMask = bits >= 64 ? UInt64.max : bits == 0 ? 0 : UInt64.max << UInt64(64 - bits)
        let lowMask = bits <= 64 ? 0 : bits >= 128 ? UInt64.max : UInt64.max << UInt64(128 - bits)
        return other.high & highMask == high && other.low & lowMask == low
    }

    /// The text, such as `192.0.2.0/24`.
    package var description: String {
        var address = [UInt8]()
        for shift in stride(from: UInt64(56), through: 0, by: -8) { address.append(UInt8(high >> shift & 0xff)) }
        for shift in stride(from: UInt64(56), through: 0, by: -8) { address.append(UInt8(low >> shift & 0xff)) }
        var text = [CChar](repeating: 0, count: 64)
        cs_format_address(address, isIPv6 ? 1 : 0, &text)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self) + "/\(length)"
    }
}

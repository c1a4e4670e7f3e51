#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The 4 or 16 bytes of an IP address. An IPv4-mapped IPv6 address is stored as its IPv4 address.
struct IPAddress: Sendable, Equatable {
    let bytes: [UInt8]

    /// - Parameter text: an address without brackets or zone. An IPv4 address may use the short and numeric notations
    ///   of inet_aton(3), which libcurl also accepts in URLs.
    init?(_ text: String) {
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if inet_aton(text, &ipv4) == 1 {
            bytes = withUnsafeBytes(of: &ipv4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
            let all = withUnsafeBytes(of: &ipv6) { Array($0) }
            bytes = all.starts(with: Self.mappedPrefix) ? Array(all.dropFirst(Self.mappedPrefix.count)) : all
        } else {
            return nil
        }
    }

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    var isLoopback: Bool { bytes.count == 4 ? bytes.first == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

    /// Whether the first `bits` bits equal those of another address in the same family.
    func hasPrefix(_ other: IPAddress, bits: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        return (0..<bits).allSatisfy { bit in
            let mask = UInt8(0x80) >> UInt8(bit % 8)
            return bytes[bit / 8] & mask == other.bytes[bit / 8] & mask
        }
    }
}

/// Parses the PROXY protocol header, version 2, which a proxy sends before its client's first byte.
///
/// Source: HAProxy, "The PROXY protocol", 2.2. Version 1, a line of text, is refused: it would need a second parser,
/// and every proxy supports version 2.
enum ProxyHeader {
    enum Result: Equatable {
        /// The header is incomplete.
        case needMore
        /// The header is complete. The first value is its length in bytes. The client is nil if the header reports
        /// none, for example if the connection is the proxy's own health check.
        case complete(Int, client: NetworkPrefix?)
        case malformed
    }

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    private static let fixedBytes = 16
    /// The maximum length after the fixed part: up to 216 bytes of addresses, and additional values, which are skipped.
    private static let longest = 2048

    static func parse(_ bytes: Span<UInt8>) -> Result {
        for index in 0..<min(bytes.count, signature.count) where bytes[index] != signature[index] { return .malformed }
        guard bytes.count > 12 else { return .needMore }
        // In byte 12, the upper half is the version, 2. The lower half is 0 for the proxy's own connection and 1 for a
        // client's.
        guard bytes[12] == 0x20 || bytes[12] == 0x21 else { return .malformed }
        guard bytes.count >= fixedBytes else { return .needMore }
        let length = Int(bytes[14]) << 8 | Int(bytes[15])
        guard length <= longest else { return .malformed }
        guard bytes.count >= fixedBytes + length else { return .needMore }
        let end = fixedBytes + length
        switch (bytes[12], bytes[13]) {
        case (0x21, 0x11):
            guard length >= 12 else { return .malformed }
            return .complete(end, client: client(bytes.extracting(16..<20)))
        case (0x21, 0x21):
            guard length >= 36 else { return .malformed }
            return .complete(end, client: client(bytes.extracting(16..<32)))
        default:
            // For the proxy's own connection, or for anything but TCP over IPv4 or IPv6, there is no client address.
            return .complete(end, client: nil)
        }
    }

    private static func client(_ source: Span<UInt8>) -> NetworkPrefix {
        var address: [UInt8] = source.count == 4 ? [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] : []
        for index in source.indices { address.append(source[index]) }
        return .ofAddress(address)
    }
}

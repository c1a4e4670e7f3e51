/// Reads the header of the PROXY protocol, version 2, that a proxy sends before the first byte of its client.
///
/// Source: HAProxy, "The PROXY protocol", 2.2. Version 1, a line of text, is refused: it costs a parser of its own, and
/// every proxy speaks version 2.
enum ProxyHeader {
    enum Result: Equatable {
        /// The header is not complete.
        case needMore
        /// The header has so many bytes. Without a client the connection is the proxy's own, e.g. a health check.
        case complete(Int, client: NetworkPrefix?)
        case malformed
    }

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    private static let fixedBytes = 16
    /// What follows the fixed part: addresses, at most 216 bytes, and further values, which are passed over.
    private static let longest = 2048

    static func parse(_ bytes: Span<UInt8>) -> Result {
        for index in 0..<min(bytes.count, signature.count) where bytes[index] != signature[index] { return .malformed }
        guard bytes.count > 12 else { return .needMore }
        // Version 2 in the upper half; in the lower one 0, the proxy itself, or 1, for a client.
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
            // Another family, or none: the proxy has no address to tell.
            return .complete(end, client: nil)
        }
    }

    private static func client(_ source: Span<UInt8>) -> NetworkPrefix {
        var address: [UInt8] = source.count == 4 ? [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] : []
        for index in source.indices { address.append(source[index]) }
        return .ofAddress(address)
    }
}

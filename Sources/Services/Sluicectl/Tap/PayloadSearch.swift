internal import Primitives

/// Searches for text in the payloads of compact JWSs. The payloads are decoded without verifying signatures.
struct PayloadSearch {
    /// The maximum depth of nested JWSs. Notifications are not known to nest deeper than one JWS in another.
    private static let maximumNesting = 4

    let text: ByteSearch

    /// Returns whether a compact JWS in the bytes has a payload that contains the text, either directly or in a nested
    /// payload.
    func isFound(in bytes: [UInt8]) -> Bool { isFound(in: bytes, nesting: 1) }

    private func isFound(in bytes: [UInt8], nesting: Int) -> Bool {
        bytes.split(whereSeparator: { !Self.isInJWS($0) }).contains { word in
            let parts = word.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 3, let payload = try? Base64URL.decode(Array(parts[1])) else { return false }
            if text.isFound(in: payload) { return true }
            return nesting < Self.maximumNesting && isFound(in: payload, nesting: nesting + 1)
        }
    }

    /// Returns whether a compact JWS can contain a byte.
    private static func isInJWS(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

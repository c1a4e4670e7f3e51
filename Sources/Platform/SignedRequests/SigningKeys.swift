package import Configuration
package import Cryptography
internal import Primitives

/// The keys that sign requests: the current key and, during a rotation, the previous and the next keys.
package struct SigningKeys: Sendable {
    private static let prefix = Array("whsec_".utf8)
    /// The allowed sizes of a key in bytes (Standard Webhooks 1.0, symmetric keys).
    private static let keySizes = 24...64
    /// The maximum number of keys. Each key adds a 47-byte signature to the header field.
    private static let maximumKeys = 8

    private let keys: [[UInt8]]

    /// Parses one key per line: base64, with or without the `whsec_` prefix. Empty lines are ignored.
    ///
    /// - Throws: an error with the number, but not the text, of the invalid line.
    package init(lines text: [UInt8]) throws(FileError) {
        var keys: [[UInt8]] = []
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let trimmed = Self.trimmed(line)
            guard !trimmed.isEmpty else { continue }
            let encoded = trimmed.starts(with: Self.prefix) ? trimmed.dropFirst(Self.prefix.count) : trimmed
            guard let key = try? Base64.decode(Array(encoded)) else {
                throw FileError(message: "line \(index + 1) is not base64")
            }
            guard Self.keySizes.contains(key.count) else {
                throw FileError(message: "the key on line \(index + 1) has \(key.count) bytes; 24 to 64 are allowed")
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw FileError(message: "the file contains no key") }
        guard keys.count <= Self.maximumKeys else {
            throw FileError(message: "the file contains \(keys.count) keys; at most \(Self.maximumKeys) are allowed")
        }
        self.keys = keys
    }

    /// Returns the value of `webhook-signature` (Standard Webhooks 1.0): for each key, `v1,` followed by the base64
    /// HMAC-SHA256 of `id.timestamp.body`, separated by spaces.
    ///
    /// - Parameter timestamp: seconds since 1970, as sent.
    package func signature(id: String, timestamp: Int64, body: [UInt8]) throws(CryptographyError) -> String {
        let content = Array("\(id).\(timestamp).".utf8) + body
        var signatures: [String] = []
        for key in keys {
            let code = try HMACSHA256.code(for: content, key: key)
            signatures.append("v1," + String(decoding: Base64.encode(code.bytes), as: UTF8.self))
        }
        return signatures.joined(separator: " ")
    }

    /// Returns the three header fields for a signed request.
    ///
    /// - Parameters:
    ///   - id: the id, which is the same for every attempt. It must not contain a period, which separates the signed
    ///     parts.
    ///   - timestamp: the time of this attempt in seconds since 1970. Receivers reject requests that are minutes old.
    package func headers(
        id: String, timestamp: Int64, body: [UInt8]
    ) throws(CryptographyError) -> [(name: String, value: String)] {
        [
            (SignedRequestHeader.id, id), (SignedRequestHeader.timestamp, String(timestamp)),
            (SignedRequestHeader.signature, try signature(id: id, timestamp: timestamp, body: body)),
        ]
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
        var line = line.drop(while: isSpace)
        while let last = line.last, isSpace(last) { line.removeLast() }
        return line
    }
}

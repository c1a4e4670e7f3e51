internal import Bytes
package import Configuration
package import Cryptography

/// The keys that requests are signed with: the present one, and during a rotation those before and after it.
package struct SigningKeys: Sendable {
    private static let prefix = Array("whsec_".utf8)
    /// Bytes of a key (Standard Webhooks 1.0, symmetric keys).
    private static let keySizes = 24...64
    /// Every key makes a signature of 47 bytes in one header field.
    private static let maximumKeys = 8

    private let keys: [[UInt8]]

    /// Reads one key for each line: base64, with or without the prefix `whsec_`. Empty lines do not count.
    ///
    /// - Throws: which line is wrong, without its text.
    package init(lines text: [UInt8]) throws(FileProblem) {
        var keys: [[UInt8]] = []
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let trimmed = Self.trimmed(line)
            guard !trimmed.isEmpty else { continue }
            let encoded = trimmed.starts(with: Self.prefix) ? trimmed.dropFirst(Self.prefix.count) : trimmed
            guard let key = try? Base64.decode(Array(encoded)) else {
                throw FileProblem(message: "line \(index + 1) is not base64")
            }
            guard Self.keySizes.contains(key.count) else {
                throw FileProblem(message: "line \(index + 1) is a key of \(key.count) bytes; 24 to 64 are allowed")
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw FileProblem(message: "the file holds no key") }
        guard keys.count <= Self.maximumKeys else {
            throw FileProblem(message: "the file holds \(keys.count) keys; \(Self.maximumKeys) are allowed")
        }
        self.keys = keys
    }

    /// The value of `webhook-signature`: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, one for each key,
    /// separated by spaces. Source: Standard Webhooks 1.0.
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

    /// The three header fields of a signed request.
    ///
    /// - Parameters:
    ///   - id: the same in every attempt; without a full stop, which separates the signed parts.
    ///   - timestamp: seconds since 1970, of this attempt: receivers refuse one that is minutes old.
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

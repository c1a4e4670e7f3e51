package import Configuration
internal import Cryptography
internal import Primitives

/// The shared secrets of one app, read from a file with one secret per line, as shown in App Store Connect. The file
/// may contain the app's and the account's secret and, during a rotation, both the old and the new one. Empty lines and
/// lines that begin with `#` are ignored.
///
/// Only digests of the secrets remain in memory.
package struct SharedSecrets: Sendable {
    package static let maximumFileBytes = 4096
    private static let maximumCount = 8
    /// The accepted lengths in characters. Secrets from App Store Connect have 32 hexadecimal digits.
    private static let lengths = 16...128

    private let digests: [[UInt8]]

    /// - Throws: an error with the number of the invalid line, but not its text.
    package init(lines text: [UInt8]) throws(FileError) {
        var digests: [[UInt8]] = []
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let isSpace = { (byte: UInt8) in byte == 32 || byte == 9 || byte == 13 }
            let end = (line.lastIndex { !isSpace($0) } ?? line.startIndex - 1) + 1
            let secret = line[line.startIndex..<max(line.startIndex, end)].drop(while: isSpace)
            guard let first = secret.first, first != UInt8(ascii: "#") else { continue }
            guard Self.lengths.contains(secret.count), secret.allSatisfy({ $0 > 32 && $0 < 127 }) else {
                throw FileError(
                    message: """
                        line \(index + 1) is not a shared secret: expected \(Self.lengths.lowerBound) to \
                        \(Self.lengths.upperBound) characters without spaces
                        """)
            }
            digests.append(secret.withUnsafeBytes { SHA256.digest(of: $0) }.bytes)
        }
        guard !digests.isEmpty else { throw FileError(message: "the file contains no shared secret") }
        guard digests.count <= Self.maximumCount else {
            throw FileError(
                message: "the file contains \(digests.count) shared secrets; at most \(Self.maximumCount) are allowed")
        }
        self.digests = digests
    }

    /// Returns whether `digest` is the SHA-256 digest of one of the secrets. Every secret is checked, even after a
    /// match, so that the duration reveals nothing.
    package func contain(digest: [UInt8]) -> Bool {
        var isFound = false
        for known in digests where constantTimeEquals(known, digest) { isFound = true }
        return isFound
    }
}

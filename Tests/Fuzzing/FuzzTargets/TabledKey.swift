package import Cryptography
import TestSupport

/// A key and its precomputed table, to compare their results:
/// ``P256PublicKey/verify(digest:rawSignature:)-(SHA256Digest,[UInt8])`` uses EVP.
package struct TabledKey: Sendable {
    package let key: P256PublicKey
    private let table: P256FixedKeyTable

    package init(_ key: P256PublicKey) throws {
        self.key = key
        table = try P256FixedKeyTable(key)
    }

    /// A digest, and a signature of any length and content.
    package typealias Candidate = P256FixedKeyTable.Signature

    /// Verifies signatures one by one with EVP and as a batch with the table, and returns the results.
    ///
    /// - Throws: a violation if the results differ.
    @discardableResult
    package func check(_ batch: [Candidate]) throws(Violation) -> [Bool] {
        var expected: [Bool] = []
        for (digest, signature) in batch {
            // Every result but `valid` counts as invalid: OpenSSL reports an error for a sum at infinity.
            expected.append(key.verify(digest: digest, rawSignature: signature) == .valid)
        }
        let found = table.verify(batch)
        guard found != expected else { return expected }
        let texts = batch.map { HexText.encode($0.digest.bytes + $0.rawSignature) }
        throw Violation(
            "the table says \(found), EVP \(expected), under \(HexText.encode(key.uncompressedPoint)) to \(texts)")
    }

    package static func candidate(_ digest: [UInt8], _ signature: [UInt8]) throws(Violation) -> Candidate {
        guard let digest = SHA256Digest(bytes: digest) else { throw Violation("no digest") }
        return (digest, signature)
    }
}

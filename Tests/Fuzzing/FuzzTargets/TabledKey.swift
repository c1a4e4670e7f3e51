package import Cryptography
import TestSupport

/// A key, its table, and the verdicts of both: that of ``P256PublicKey/verify(digest:rawSignature:)-(SHA256Digest,[UInt8])``,
/// which is EVP's, and the table's.
package struct TabledKey: Sendable {
    package let key: P256PublicKey
    private let table: P256FixedKeyTable

    package init(_ key: P256PublicKey) throws {
        self.key = key
        table = try P256FixedKeyTable(key)
    }

    /// A digest, and a signature of any form.
    package typealias Candidate = P256FixedKeyTable.Signature

    /// Whether EVP says that each of these is good, after the table said the same to all of them together.
    ///
    /// - Throws: a violation where they differ.
    @discardableResult
    package func check(_ batch: [Candidate]) throws(Violation) -> [Bool] {
        var expected: [Bool] = []
        for (digest, signature) in batch {
            // Not decided is not good: to a sum at infinity OpenSSL gives an error of its own.
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

package import Cryptography

/// The decoded content of an object.
package enum ArchiveContent: Hashable, Sendable {
    case record(ArchivedRecord)
    case gap(ArchiveGap)
    /// No content: the subject had been erased before the record arrived.
    case erased
}

/// Encodes, encrypts, decrypts and decodes objects.
package enum ArchiveObject {
    /// The format of an object, stored in its first byte.
    enum Form: UInt8 {
        case plain = 0
        /// Nonce, ciphertext and tag, encrypted with the subject's data key; written by releases before 2026-12.
        case dataKey = 1
        /// Nonce, key commitment, ciphertext and tag, encrypted with a key specific to the record.
        case recordKey = 2
    }

    /// The key that decrypts an object.
    private enum Opener {
        case none
        case dataKey(SecretKey)
        case recordKey(ArchiveRecordKey)
    }

    /// Returns the decoded content of a leaf's object.
    ///
    /// - Parameter key: the data key, required if the leaf references one.
    /// - Throws: ``ArchiveError``: `objectMismatch`, `keyNeeded`, `notAuthentic`, `malformedContent`, or
    ///   `cryptography` if libcrypto fails.
    package static func open(
        _ object: [UInt8], of leaf: ArchiveLeaf, key: SecretKey? = nil
    ) throws(ArchiveError) -> ArchiveContent {
        try open(object, of: leaf, key.map { .dataKey($0) } ?? .none)
    }

    /// Returns the decoded content of a leaf's object, using only the key of this record.
    ///
    /// - Throws: ``ArchiveError``; see ``open(_:of:key:)``. The code is `keyNeeded` for an object that requires
    ///   the data key (``hasRecordKey(_:)``).
    package static func open(
        _ object: [UInt8], of leaf: ArchiveLeaf, recordKey: ArchiveRecordKey
    ) throws(ArchiveError) -> ArchiveContent {
        try open(object, of: leaf, .recordKey(recordKey))
    }

    /// Returns whether an object can be disclosed without disclosing its subject's data key.
    package static func hasRecordKey(_ object: [UInt8]) -> Bool { object.first == Form.recordKey.rawValue }

    private static func open(
        _ object: [UInt8], of leaf: ArchiveLeaf, _ opener: Opener
    ) throws(ArchiveError) -> ArchiveContent {
        guard leaf.describes(object) else {
            throw ArchiveError(.objectMismatch, "the object for \(leaf.position) differs from the archived one")
        }
        guard let first = object.first else {
            guard leaf.key == nil, leaf.position.kind.isPersonal else {
                throw ArchiveError(.malformedContent, "the object for \(leaf.position) is empty")
            }
            return .erased
        }
        guard let form = Form(rawValue: first) else {
            throw ArchiveError(.malformedContent, "the object for \(leaf.position) has an unknown format")
        }
        guard form == .plain || leaf.key != nil else {
            throw ArchiveError(.malformedContent, "the leaf for \(leaf.position) references no key for its object")
        }
        switch (form, opener) {
        case (.plain, _):
            guard leaf.key == nil else {
                throw ArchiveError(
                    .malformedContent, "the leaf for \(leaf.position) references a key, but its object is not encrypted"
                )
            }
            return try content(Array(object.dropFirst()), of: leaf)
        case (.dataKey, .dataKey(let key)):
            return try content(try decrypt(object, from: 1, position: leaf.position, key: key), of: leaf)
        case (.recordKey, .dataKey(let key)):
            return try open(object, of: leaf, .recordKey(ArchiveRecordKey(of: leaf.position, from: key)))
        case (.recordKey, .recordKey(let key)):
            return try content(try decrypt(object, of: leaf.position, key), of: leaf)
        case (.dataKey, _), (.recordKey, .none):
            throw ArchiveError(.keyNeeded, "\(leaf.position) is encrypted")
        }
    }

    /// Returns the format byte, nonce, commitment, ciphertext and tag.
    static func seal(
        _ text: [UInt8], position: ArchivePosition, key: SecretKey
    ) throws(ArchiveError) -> [UInt8] {
        let recordKey = try ArchiveRecordKey(of: position, from: key)
        let commitment = try recordKey.commitment()
        do throws(CryptographyError) {
            let nonce = try randomBytes(AES256GCM.nonceByteCount)
            var object: [UInt8] = []
            let textStart = 1 + nonce.count + commitment.count
            object.reserveCapacity(textStart + text.count + AES256GCM.tagByteCount)
            object.append(Form.recordKey.rawValue)
            object.append(contentsOf: nonce)
            object.append(contentsOf: commitment)
            object.append(contentsOf: repeatElement(0, count: text.count + AES256GCM.tagByteCount))
            let authenticated = position.bytes
            var failure: CryptographyError?
            object.withUnsafeMutableBytes { object in
                nonce.withUnsafeBytes { nonce in
                    text.withUnsafeBytes { text in
                        authenticated.withUnsafeBytes { authenticated in
                            do throws(CryptographyError) {
                                try AES256GCM.seal(
                                    text, key: recordKey.secret, nonce: nonce, authenticated: authenticated,
                                    into: UnsafeMutableRawBufferPointer(rebasing: object[textStart...]))
                            } catch { failure = error }
                        }
                    }
                }
            }
            if let failure { throw failure }
            return object
        } catch {
            throw ArchiveError(.cryptography, "failed to encrypt the object for \(position): \(error.message)")
        }
    }

    private static func decrypt(
        _ object: [UInt8], of position: ArchivePosition, _ key: ArchiveRecordKey
    ) throws(ArchiveError) -> [UInt8] {
        let start = 1 + AES256GCM.nonceByteCount
        let end = start + ArchiveRecordKey.commitmentByteCount
        guard object.count >= end else {
            throw ArchiveError(.malformedContent, "the object for \(position) is truncated")
        }
        guard try object[start..<end].elementsEqual(key.commitment()) else {
            throw ArchiveError(.notAuthentic, "the object for \(position) was not encrypted under this key")
        }
        return try decrypt(
            object, from: 1, skipping: ArchiveRecordKey.commitmentByteCount, position: position, key: key.secret)
    }

    /// - Parameters:
    ///   - start: the offset of the nonce.
    ///   - skipped: the number of bytes between the nonce and the ciphertext.
    private static func decrypt(
        _ object: [UInt8], from start: Int, skipping skipped: Int = 0, position: ArchivePosition, key: SecretKey
    ) throws(ArchiveError) -> [UInt8] {
        let nonceEnd = start + AES256GCM.nonceByteCount
        let textStart = nonceEnd + skipped
        guard object.count >= textStart + AES256GCM.tagByteCount else {
            throw ArchiveError(.malformedContent, "the object for \(position) is truncated")
        }
        let opened: [UInt8]?
        do throws(CryptographyError) {
            opened = try AES256GCM.open(
                Array(object[textStart...]), key: key, nonce: Array(object[start..<nonceEnd]),
                authenticated: position.bytes)
        } catch {
            throw ArchiveError(.cryptography, "failed to decrypt the object for \(position): \(error.message)")
        }
        guard let opened else {
            throw ArchiveError(.notAuthentic, "the object for \(position) cannot be decrypted with its key")
        }
        return opened
    }

    private static func content(_ text: [UInt8], of leaf: ArchiveLeaf) throws(ArchiveError) -> ArchiveContent {
        try text.span.withUnsafeBytes { (text) throws(ArchiveError) in
            leaf.position.kind == .gap ? .gap(try ArchiveGap(text)) : .record(try ArchivedRecord(text))
        }
    }
}

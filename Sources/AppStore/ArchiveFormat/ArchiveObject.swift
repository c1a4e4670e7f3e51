package import Cryptography

/// What an object holds.
package enum ArchiveContent: Hashable, Sendable {
    case record(ArchivedRecord)
    case gap(ArchiveGap)
    /// Nothing: the subject had been erased before the record came.
    case erased
}

/// The form of objects, and reading them.
package enum ArchiveObject {
    /// An object's first byte.
    enum Form: UInt8 {
        case plain = 0
        case aes256GCM = 1
    }

    /// What the object of a leaf holds.
    ///
    /// - Parameter key: needed where the leaf names one.
    /// - Throws: ``ArchiveFormatError``: `objectMismatch`, `keyNeeded`, `notAuthentic`, `malformedObject`, or `unavailable` when
    ///   libcrypto fails.
    package static func open(
        _ object: [UInt8], of leaf: ArchiveLeaf, key: SecretKey? = nil
    ) throws(ArchiveFormatError) -> ArchiveContent {
        guard leaf.describes(object) else {
            throw ArchiveFormatError(.objectMismatch, "the object of \(leaf.position) is not the one that was archived")
        }
        guard let first = object.first else {
            guard leaf.keyId == nil, leaf.position.kind.isPersonal else {
                throw ArchiveFormatError(.malformedObject, "the object of \(leaf.position) is empty")
            }
            return .erased
        }
        switch Form(rawValue: first) {
        case .plain:
            guard leaf.keyId == nil else {
                throw ArchiveFormatError(
                    .malformedObject, "the leaf of \(leaf.position) names a key, its object is plain")
            }
            return try content(Array(object.dropFirst()), of: leaf)
        case .aes256GCM:
            guard leaf.keyId != nil else {
                throw ArchiveFormatError(.malformedObject, "the leaf of \(leaf.position) names no key for its object")
            }
            guard let key else { throw ArchiveFormatError(.keyNeeded, "\(leaf.position) is encrypted") }
            return try content(try decrypt(object, position: leaf.position, key: key), of: leaf)
        case nil:
            throw ArchiveFormatError(.malformedObject, "the object of \(leaf.position) is of an unknown form")
        }
    }

    /// Form, nonce, ciphertext, tag.
    static func seal(
        _ text: [UInt8], position: ArchivePosition, key: SecretKey
    ) throws(ArchiveFormatError) -> [UInt8] {
        do throws(CryptographyError) {
            let nonce = try randomBytes(AES256GCM.nonceByteCount)
            var object: [UInt8] = []
            let textStart = 1 + nonce.count
            object.reserveCapacity(textStart + text.count + AES256GCM.tagByteCount)
            object.append(Form.aes256GCM.rawValue)
            object.append(contentsOf: nonce)
            object.append(contentsOf: repeatElement(0, count: text.count + AES256GCM.tagByteCount))
            let authenticated = position.bytes
            var failure: CryptographyError?
            object.withUnsafeMutableBytes { object in
                nonce.withUnsafeBytes { nonce in
                    text.withUnsafeBytes { text in
                        authenticated.withUnsafeBytes { authenticated in
                            do throws(CryptographyError) {
                                try AES256GCM.seal(
                                    text, key: key, nonce: nonce, authenticated: authenticated,
                                    into: UnsafeMutableRawBufferPointer(rebasing: object[textStart...]))
                            } catch { failure = error }
                        }
                    }
                }
            }
            if let failure { throw failure }
            return object
        } catch {
            throw ArchiveFormatError(.unavailable, "the object of \(position) cannot be encrypted: \(error.message)")
        }
    }

    private static func decrypt(
        _ object: [UInt8], position: ArchivePosition, key: SecretKey
    ) throws(ArchiveFormatError) -> [UInt8] {
        let textStart = 1 + AES256GCM.nonceByteCount
        guard object.count >= textStart + AES256GCM.tagByteCount else {
            throw ArchiveFormatError(.malformedObject, "the object of \(position) is cut off")
        }
        let opened: [UInt8]?
        do throws(CryptographyError) {
            opened = try AES256GCM.open(
                Array(object[textStart...]), key: key, nonce: Array(object[1..<textStart]),
                authenticated: position.bytes)
        } catch {
            throw ArchiveFormatError(.unavailable, "the object of \(position) cannot be decrypted: \(error.message)")
        }
        guard let opened else {
            throw ArchiveFormatError(.notAuthentic, "the object of \(position) does not open with its key")
        }
        return opened
    }

    private static func content(_ text: [UInt8], of leaf: ArchiveLeaf) throws(ArchiveFormatError) -> ArchiveContent {
        try text.span.withUnsafeBytes { (text) throws(ArchiveFormatError) in
            leaf.position.kind == .gap ? .gap(try ArchiveGap(text)) : .record(try ArchivedRecord(text))
        }
    }
}

package import ObjectStorage

/// An error in the archive's formats, logs or keys. Equality compares all properties.
package struct ArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure. Callers must base decisions on the code, never on the text. ``ArchiveError/Code/writing``
    /// and the other groups list where each code occurs.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        // MARK: Storage

        /// The storage failed or did not respond.
        case storage
        /// The storage has no space left.
        case full
        /// Another process is writing the log.
        case locked

        // MARK: Writing a log

        /// The stored checkpoint is not the last one that this writer wrote.
        case otherWriter = "other_writer"
        /// The files do not match the checkpoint, so the log is not continued.
        case damaged
        /// The log has files but no checkpoint.
        case checkpointMissing = "checkpoint_missing"
        /// The store contains no objects of the log, although a checkpoint for the log was signed earlier.
        case beginRefused = "begin_refused"
        /// The log is in an earlier state than its last signed checkpoint.
        case rolledBack = "rolled_back"
        /// The log's history differs from the signed history.
        case forked
        /// The checkpoint could not be signed.
        case signing
        /// The key store cannot save the signed checkpoint, or returns no keys.
        case keyStore = "key_store"

        // MARK: Reading a log

        /// The checkpoint has no signature from a known key.
        case unknownKey = "unknown_key"
        /// A signature on the checkpoint does not match, or one of a known key's signatures is missing.
        case invalidSignature
        /// An object that the checkpoint covers does not exist.
        case missingObject
        /// An object in the store is malformed, or does not match the checkpoint.
        case corruptObject
        /// The requested leaf does not exist.
        case noLeaf

        // MARK: Formats

        /// The bytes are not a valid leaf.
        case malformedLeaf
        /// The bytes are not a valid object segment.
        case malformedSegment
        /// An object that matches its leaf, or a record in one of the archive's own topics, is malformed or has an
        /// unknown format.
        case malformedContent = "malformedObject"
        /// An archived object's length or digest differs from its leaf: the object was changed or replaced.
        case objectMismatch
        /// The archived object is encrypted, and no key was passed.
        case keyNeeded
        /// The archived object cannot be decrypted: the key is wrong, or the object was encrypted for another leaf's
        /// position.
        case notAuthentic
        /// A name, header or string is too long for its field.
        case tooLong
        /// libcrypto failed.
        case cryptography = "unavailable"

        // MARK: Keys

        /// The key store does not exist at the configured path.
        case keyStoreMissing
        /// The key store or its keys cannot be used now; the same call may succeed later.
        case keyStoreUnavailable
        /// The key store is damaged, or was written by a later version.
        case keyStoreUnusable
        /// A key-encryption key file cannot be read, or does not contain a key.
        case unreadableEncryptionKey
        /// The key was not wrapped with any of the given key-encryption keys.
        case wrongEncryptionKey
        /// A wrapped key cannot be unwrapped with its key-encryption key, so it must have been changed.
        case damagedWrappedKey
        /// A record in the erasures topic was made with a different pseudonym key.
        case foreignMarks
        /// The change is applied, but the write-ahead log may still contain destroyed or rewrapped keys.
        case notOverwritten
    }

    package let code: Code
    /// The problem, its location and its fix in one line, without record content.
    package let message: String
    /// The object that could not be read, or nil if the error does not concern an object.
    package let object: ObjectName?

    package init(_ code: Code, _ message: String, object: ObjectName? = nil) {
        self.code = code
        self.message = message
        self.object = object
    }

    /// The message, preceded by the object if there is one. A format error without an object ends with its code.
    package var description: String {
        if let object { return "\(object): \(message)" }
        return Code.formats.contains(code) ? "\(message) (\(code.rawValue))" : message
    }
}

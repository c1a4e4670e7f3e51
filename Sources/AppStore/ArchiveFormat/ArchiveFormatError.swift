/// Why bytes are not of the archive's form, or cannot be brought into it. Equality compares both properties.
package struct ArchiveFormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers decide on this, never on the text.
    package enum Code: String, Hashable, Sendable {
        /// The bytes are not a leaf.
        case malformedLeaf
        /// The bytes are not a segment of objects.
        case malformedSegment
        /// The object is what its leaf says, but nothing that an archive writes.
        case malformedObject
        /// The object has not the length or the digest that its leaf says: it was changed or exchanged.
        case objectMismatch
        /// The object is encrypted, and no key was given.
        case keyNeeded
        /// The object cannot be decrypted: another key, or other bytes before encryption than its leaf says.
        case notAuthentic
        /// A name, a header or a text is too long for its field.
        case tooLong
        /// libcrypto failed.
        case unavailable
    }

    package let code: Code
    /// One line, without any content of a record.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(message) (\(code.rawValue))" }
}

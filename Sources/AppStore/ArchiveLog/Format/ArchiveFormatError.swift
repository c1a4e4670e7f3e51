/// An error in decoding or encoding the archive's formats. Equality compares both properties.
package struct ArchiveFormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers must decide on this, never on the text.
    package enum Code: String, Hashable, Sendable {
        /// The bytes are not a leaf.
        case malformedLeaf
        /// The bytes are not a segment of objects.
        case malformedSegment
        /// The object matches its leaf, but no archive writes such content.
        case malformedObject
        /// The object's length or digest differs from its leaf: the object was changed or replaced.
        case objectMismatch
        /// The object is encrypted, and no key was passed.
        case keyNeeded
        /// The object cannot be decrypted: the key is wrong, or the object was encrypted for a position other than its
        /// leaf's.
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

package import ObjectStorage
internal import TransparencyLog

/// An error in reading part of a log. Equality compares all properties.
package struct LogReadError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers must decide on this, never on the text.
    package enum Code: String, Sendable {
        /// The storage failed or did not respond.
        case storage
        /// An object that the checkpoint covers does not exist.
        case missing
        /// An object is malformed, or does not match the checkpoint.
        case malformed
        /// The checkpoint has no signature from a known key.
        case unknownKey
        /// A signature on the checkpoint does not match, or one of a known key's signatures is missing.
        case invalidSignature
        /// There is no such leaf.
        case noLeaf
    }

    package let code: Code
    /// The message, one line.
    package let message: String
    /// The object concerned, if any.
    package let object: ObjectName?

    package init(_ code: Code, _ message: String, object: ObjectName? = nil) {
        self.code = code
        self.message = message
        self.object = object
    }

    init(_ error: ObjectStoreError, reading object: ObjectName?) {
        let code: Code =
            switch error.code {
            // The store has checksums and detected the change itself. No archive writes links, pipes or huge objects.
            case .corrupt, .unsafePath, .tooLarge: .malformed
            default: .storage
            }
        self.init(code, error.message, object: object)
    }

    init(_ error: TransparencyLogError, reading object: ObjectName?) {
        let code: Code =
            switch error.code {
            case .unknownKey: .unknownKey
            case .invalidSignature: .invalidSignature
            default: .malformed
            }
        self.init(code, error.message, object: object)
    }

    package var description: String { object.map { "\($0): \(message)" } ?? message }
}

package import ObjectStorage
internal import TransparencyLog

/// Why something of a log cannot be read. Equality compares all properties.
package struct LogReadError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers decide on this, never on the text.
    package enum Code: String, Sendable {
        /// The storage failed or gave no answer.
        case storage
        /// An object that the checkpoint covers is not there.
        case missing
        /// An object is not of the form that it must have, or does not fit the checkpoint.
        case malformed
        /// A checkpoint without a signature by a key that is known.
        case unknownKey
        /// A checkpoint whose signature does not match, or that lacks one of a known key's signatures.
        case invalidSignature
        /// There is no such leaf.
        case noLeaf
    }

    package let code: Code
    /// One line.
    package let message: String
    /// The object that it is about, where it is about one.
    package let object: ObjectName?

    package init(_ code: Code, _ message: String, object: ObjectName? = nil) {
        self.code = code
        self.message = message
        self.object = object
    }

    init(_ error: ObjectStoreError, reading object: ObjectName?) {
        let code: Code =
            switch error.code {
            // A store that keeps checksums has noticed the change itself; no archive writes links, pipes or huge objects.
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

/// A text or file of a transparency log is invalid, or a signature could not be created or verified. The result of
/// checking a proof is a value, not an error.
///
/// Equality compares the code and the message.
package struct TransparencyLogError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers decide on this, never on the message.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case malformedNote, malformedCheckpoint, malformedKey, malformedProof, malformedTile, malformedBundle
            case malformedRequest, malformedPolicy, unavailableKey, unknownKey, invalidSignature, signing
            case invalidArgument
        }

        private let value: Value

        /// Not a signed note (c2sp.org/signed-note).
        package static let malformedNote = Code(value: .malformedNote)
        /// A note whose text is not a checkpoint (c2sp.org/tlog-checkpoint).
        package static let malformedCheckpoint = Code(value: .malformedCheckpoint)
        /// Not a verifier key, or a key of an unsupported signature type.
        package static let malformedKey = Code(value: .malformedKey)
        /// A key of a signature type that this libcrypto cannot verify: ML-DSA-44 before OpenSSL 3.5.
        package static let unavailableKey = Code(value: .unavailableKey)
        /// Not a proof text (c2sp.org/tlog-proof), or not a list of hashes.
        package static let malformedProof = Code(value: .malformedProof)
        /// A tile with another length than its path requires.
        package static let malformedTile = Code(value: .malformedTile)
        /// An entry bundle with inconsistent lengths, or another number of entries than its path requires.
        package static let malformedBundle = Code(value: .malformedBundle)
        /// Not a witness request, or not a witness response (c2sp.org/tlog-witness).
        package static let malformedRequest = Code(value: .malformedRequest)
        /// Not a policy file (c2sp.org/tlog-policy).
        package static let malformedPolicy = Code(value: .malformedPolicy)
        /// A note without a signature by any of the given keys.
        package static let unknownKey = Code(value: .unknownKey)
        /// A signature that names one of the given keys but was not made by it.
        package static let invalidSignature = Code(value: .invalidSignature)
        /// Signing with the key failed.
        package static let signing = Code(value: .signing)
        /// An argument is outside the limits of the formats.
        package static let invalidArgument = Code(value: .invalidArgument)

        package var description: String { value.rawValue }
    }

    package let code: Code
    /// A single line.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(message) (\(code))" }
}

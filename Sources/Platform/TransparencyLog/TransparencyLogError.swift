/// A transparency log error: text or a file is invalid, or a signature could not be created or verified. The result of
/// verifying a proof is a value, not an error.
///
/// Two errors are equal if their codes and messages are equal.
package struct TransparencyLogError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure. Callers base decisions on it, never on the message.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case malformedNote, malformedCheckpoint, malformedKey, malformedProof, malformedTile, malformedBundle
            case malformedRequest, malformedPolicy, unavailableKey, unknownKey, invalidSignature, signing
            case invalidArgument
        }

        private let value: Value

        /// The input is not a signed note (c2sp.org/signed-note).
        package static let malformedNote = Code(value: .malformedNote)
        /// The text of the note is not a checkpoint (c2sp.org/tlog-checkpoint).
        package static let malformedCheckpoint = Code(value: .malformedCheckpoint)
        /// The input is not a verifier key, or the key has an unsupported signature type.
        package static let malformedKey = Code(value: .malformedKey)
        /// This libcrypto cannot verify the key's signature type: ML-DSA-44 before OpenSSL 3.5.
        package static let unavailableKey = Code(value: .unavailableKey)
        /// The input is not a valid proof text (c2sp.org/tlog-proof) or list of hashes.
        package static let malformedProof = Code(value: .malformedProof)
        /// The length of a tile does not match its path.
        package static let malformedTile = Code(value: .malformedTile)
        /// The lengths in an entry bundle are inconsistent, or its number of entries does not match its path.
        package static let malformedBundle = Code(value: .malformedBundle)
        /// The input is not a valid witness request or response (c2sp.org/tlog-witness).
        package static let malformedRequest = Code(value: .malformedRequest)
        /// The input is not a policy file (c2sp.org/tlog-policy).
        package static let malformedPolicy = Code(value: .malformedPolicy)
        /// The note has no signature by any of the given keys.
        package static let unknownKey = Code(value: .unknownKey)
        /// A signature names one of the given keys but was not made by that key.
        package static let invalidSignature = Code(value: .invalidSignature)
        /// Signing with the key failed.
        package static let signing = Code(value: .signing)
        /// An argument exceeds the limits of the formats.
        package static let invalidArgument = Code(value: .invalidArgument)

        package var description: String { value.rawValue }
    }

    package let code: Code
    /// The message, on one line.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(message) (\(code))" }
}

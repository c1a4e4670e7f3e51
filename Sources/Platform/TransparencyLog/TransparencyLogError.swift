/// Why a text or a file of a transparency log could not be used. Whether a proof holds is a value, not an error.
///
/// Equality compares the code and the message.
package struct TransparencyLogError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers decide on this, never on the text.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case malformedNote, malformedCheckpoint, malformedKey, malformedProof, malformedTile, malformedBundle
            case malformedRequest, unknownKey, invalidSignature, signing, invalidArgument
        }

        private let value: Value

        /// Not a signed note (c2sp.org/signed-note).
        package static let malformedNote = Code(value: .malformedNote)
        /// A note whose text is not a checkpoint (c2sp.org/tlog-checkpoint).
        package static let malformedCheckpoint = Code(value: .malformedCheckpoint)
        /// Not a verifier key, or one of a signature type that is not checked here.
        package static let malformedKey = Code(value: .malformedKey)
        /// Not a proof text (c2sp.org/tlog-proof), or not a list of hashes.
        package static let malformedProof = Code(value: .malformedProof)
        /// A tile of another length than its path says.
        package static let malformedTile = Code(value: .malformedTile)
        /// An entry bundle whose lengths do not add up, or of another count than its path says.
        package static let malformedBundle = Code(value: .malformedBundle)
        /// Not a request to a witness, or not its answer (c2sp.org/tlog-witness).
        package static let malformedRequest = Code(value: .malformedRequest)
        /// A note without a signature by any key that is known.
        package static let unknownKey = Code(value: .unknownKey)
        /// A signature that names a known key and is not by it.
        package static let invalidSignature = Code(value: .invalidSignature)
        /// The key could not sign.
        package static let signing = Code(value: .signing)
        /// The caller's value is outside what the formats allow.
        package static let invalidArgument = Code(value: .invalidArgument)

        package var description: String { value.rawValue }
    }

    package let code: Code
    /// One line.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(message) (\(code))" }
}

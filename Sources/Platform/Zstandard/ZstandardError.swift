/// A failed compression or decompression.
package enum ZstandardError: Error, Equatable, CustomStringConvertible {
    case noMemory
    /// The bytes are not a complete frame, or were compressed with a different dictionary.
    case damaged
    /// The value is larger than the caller's limit.
    case tooLarge

    package var description: String {
        switch self {
        case .noMemory: "out of memory"
        case .damaged: "the compressed value is damaged"
        case .tooLarge: "the compressed value is too large"
        }
    }
}

internal import ObjectStorage
internal import TransparencyLog

extension ArchiveError {
    /// Creates the error for an object that the store did not return.
    init(_ error: ObjectStoreError, reading object: ObjectName?) {
        let code: Code =
            switch error.code {
            // The store's checksum does not match, or the object is a symbolic link, a pipe, or too large. The archive
            // never writes such objects.
            case .corrupt, .unsafePath, .tooLarge: .corruptObject
            default: .storage
            }
        self.init(code, error.message, object: object)
    }

    /// Creates the error for an object that is not a valid part of a transparency log.
    init(_ error: TransparencyLogError, reading object: ObjectName?) {
        let code: Code =
            switch error.code {
            case .unknownKey: .unknownKey
            case .invalidSignature: .invalidSignature
            default: .corruptObject
            }
        self.init(code, error.message, object: object)
    }
}

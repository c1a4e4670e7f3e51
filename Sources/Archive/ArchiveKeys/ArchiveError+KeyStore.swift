internal import ArchiveLog

extension ArchiveError {
    /// Creates the error for a key store file that is missing or empty.
    static func keyStoreMissing(at path: String) -> ArchiveError {
        ArchiveError(
            .keyStoreMissing,
            """
            there is no key store at \(path): correct archive.key.store, start sluice-archive on this host to read the \
            keys from Kafka, or restore the key store from its backup
            """)
    }
}

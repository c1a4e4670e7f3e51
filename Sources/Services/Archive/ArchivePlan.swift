internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import HTTPClient
internal import TransparencyLog

/// The checked configuration of `sluice-archive`, as read before it opens a store. Both the start and `sluicectl config
/// check` build it.
struct ArchivePlan {
    let signer: CheckpointSigner
    let verifiers: ArchiveVerifiers
    let witnesses: [Witness]
    /// HTTP client configuration for witnesses.
    let http: HTTPClient.Configuration

    /// - Throws: a `ConfigurationError` for an unusable store, key, key store or witness.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        try ArchivePlace.check(configuration)
        signer = try ArchivePlace.signer(configuration)
        do throws(TransparencyLogError) {
            verifiers = try signer.verifiers()
        } catch { throw configuration.error(ArchivePlace.signingKeys.key, error.message) }
        witnesses = try ArchiveSettings.witnesses(configuration)
        http = try HTTPClient.Configuration(configuration)
    }
}

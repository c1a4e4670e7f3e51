internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import HTTPClient
internal import TransparencyLog

/// The validated configuration of `sluice-archive`, created at startup and by `sluicectl config check` before any store
/// is opened.
struct ArchiveConfiguration {
    let signer: CheckpointSigner
    let verifiers: ArchiveVerifiers
    let witnesses: [Witness]
    /// The HTTP client configuration for requests to witnesses.
    let http: HTTPClient.Configuration

    /// - Throws: a `ConfigurationError` if a store, key, key store or witness is unusable.
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

internal import ArchiveConfiguration
internal import ArchiveLog
internal import Configuration
internal import HTTPClient
internal import TransparencyLog

/// Everything that `sluice-archive` reads from its configuration before it opens a store, checked: what the start builds,
/// and what `sluicectl config check` builds too.
struct ArchivePlan {
    let signer: CheckpointSigner
    let verifiers: ArchiveVerifiers
    let witnesses: [Witness]
    /// How witnesses are reached.
    let http: HTTPClient.Configuration

    /// - Throws: a `ConfigurationError` for a store, a key, a key store or witnesses that cannot be used.
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

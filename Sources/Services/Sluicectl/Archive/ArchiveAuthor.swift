internal import Configuration
internal import Lifecycle

/// Determines the name of the operator who decides about a person's records. The name becomes part of the published and
/// archived record.
enum ArchiveAuthor {
    static let author = Setting.string(
        "author",
        help: "The person responsible for the decision; archived and published. Default: your user name.",
        example: "privacy-officer"
    ).optional.onCommandLineOnly

    /// Returns the configured name, or the user's name if none is configured.
    ///
    /// - Throws: a ``StartupError`` if there is neither.
    static func name(_ configuration: Configuration) throws(StartupError) -> String {
        try OperatorName.resolve(configuration[author]) {
            "an author is required; the name is archived with the decision"
        }
    }
}

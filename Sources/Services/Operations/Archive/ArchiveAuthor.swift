internal import Configuration
internal import Glibc
internal import Lifecycle

/// Determines the name of the operator who decides about a person's records. The name becomes part of the published and
/// archived record.
enum ArchiveAuthor {
    static let author = Setting.string(
        "author",
        help: "The person responsible for the decision; archived and published. Default: your user name.",
        example: "privacy-officer"
    ).optional.onCommandLineOnly

    /// Returns the configured name, or the user's name.
    ///
    /// - Throws: a ``StartupError`` if there is neither: a container's numeric user id does not identify the operator.
    static func name(_ configuration: Configuration) throws(StartupError) -> String {
        if let given = configuration[author], given.contains(where: { !$0.isWhitespace }) { return given }
        guard configuration[author] == nil, let name = userName else {
            throw StartupError(
                "an author is required, and archived with the decision", setting: "--author", fix: "Set --author NAME",
                exitCode: .usage)
        }
        return name
    }

    /// The user's name, or nil if the user has none.
    private static var userName: String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else { return nil }
        return String(cString: name)
    }
}

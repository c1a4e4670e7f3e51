internal import Configuration
internal import Glibc
internal import Lifecycle

/// Determines the operator who decides about a person's records, for the record that is published and archived.
enum ArchiveAuthor {
    static let author = Setting.string(
        "author",
        help: "Who decides; it is archived and published. Default: the name of the user who runs the command.",
        example: "privacy-officer"
    ).optional.onCommandLineOnly

    /// Returns the given name, or the user's name.
    ///
    /// - Throws: a ``StartupError`` if neither is available: the numeric user id of a container does not identify the
    ///   operator.
    static func name(_ configuration: Configuration) throws(StartupError) -> String {
        if let given = configuration[author], given.contains(where: { !$0.isWhitespace }) { return given }
        guard configuration[author] == nil, let name = userName else {
            throw StartupError(
                "who decides is archived, and no author is given", setting: "--author", fix: "Give --author NAME",
                exitCode: .usage)
        }
        return name
    }

    /// Returns nil if the user has no name.
    private static var userName: String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else { return nil }
        return String(cString: name)
    }
}

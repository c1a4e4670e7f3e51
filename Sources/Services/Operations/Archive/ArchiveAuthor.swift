internal import Configuration
internal import Glibc
internal import Lifecycle

/// Who decides about a person's records, for the record that is archived and published.
enum ArchiveAuthor {
    static let author = Setting.string(
        "author",
        help: "Who decides; it is archived and published. Default: the name of the user who runs the command.",
        example: "privacy-officer"
    ).optional.onCommandLineOnly

    /// The name that is given, or that of the user.
    ///
    /// - Throws: a ``StartupError`` where neither is a name: a number of a container's user says nothing of who decided.
    static func name(_ configuration: Configuration) throws(StartupError) -> String {
        if let given = configuration[author], given.contains(where: { !$0.isWhitespace }) { return given }
        guard configuration[author] == nil, let name = userName else {
            throw StartupError(
                "who decides is archived, and no author is given", setting: "--author", fix: "Give --author NAME",
                exitCode: .usage)
        }
        return name
    }

    /// Nil where the user has no name.
    private static var userName: String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else { return nil }
        return String(cString: name)
    }
}

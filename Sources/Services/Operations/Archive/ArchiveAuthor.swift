internal import Configuration
internal import Glibc

/// Who decides about a person's records, for the record that is archived and published.
enum ArchiveAuthor {
    static let author = Setting.string(
        "author",
        help: "Who decides; it is archived and published. Default: the name of the user who runs the command.",
        example: "privacy-officer"
    ).optional.onCommandLineOnly

    /// The name that is given, or that of the user.
    static func name(_ configuration: Configuration) -> String { configuration[author] ?? userName }

    /// The number where the user has no name.
    private static var userName: String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let user = geteuid()
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else {
            return "uid \(user)"
        }
        return String(cString: name)
    }
}

internal import Glibc
internal import Lifecycle

/// Determines the name of the operator, which becomes part of published records.
enum OperatorName {
    /// Returns the given name, or the user's name if none is given.
    ///
    /// - Parameters:
    ///   - given: the value of `--author`, or nil.
    ///   - problem: describes why the name is required.
    /// - Throws: a ``StartupError`` if the given name is blank, or if none is given and the user has no name, as in a
    ///   container with only a numeric user id.
    static func resolve(_ given: String?, problem: () -> String) throws(StartupError) -> String {
        if let given, given.contains(where: { !$0.isWhitespace }) { return given }
        guard given == nil, let name = userName else {
            throw StartupError(problem(), setting: "--author", fix: "Set --author NAME", exitCode: .usage)
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

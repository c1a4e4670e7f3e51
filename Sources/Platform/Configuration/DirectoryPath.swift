internal import FoundationEssentials
internal import Glibc

/// Checks whether a directory could be created, without creating it.
package enum DirectoryPath {
    /// Returns the reason a directory cannot be created at this path, worded to follow the path in a message, such as
    /// `cannot be created: /data is not a directory`. Returns nil if the path, or its nearest existing ancestor, is a
    /// directory. Does not check permissions, because another user may start the service.
    ///
    /// - Parameter path: the path; a relative path is resolved against the working directory.
    package static func obstacle(to path: String) -> String? {
        guard !path.isEmpty, !path.utf8.contains(0) else { return "is not a path" }
        var url = URL(fileURLWithPath: path).standardizedFileURL
        while true {
            var status = stat()
            if stat(url.path, &status) == 0 {
                return status.st_mode & S_IFMT == S_IFDIR ? nil : "cannot be created: \(url.path) is not a directory"
            }
            let parent = url.deletingLastPathComponent()
            guard parent.path != url.path else { return nil }
            url = parent
        }
    }
}

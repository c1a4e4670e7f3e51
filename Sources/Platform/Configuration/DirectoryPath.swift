internal import FoundationEssentials
internal import Glibc

/// Whether a directory could be made, without making it.
package enum DirectoryPath {
    /// What is in the way of a directory at this path, as the end of a sentence: the nearest thing that is there is no
    /// directory. Nil when nothing is. Rights are not looked at: who checks may be another user than who starts.
    ///
    /// - Parameter path: relative ones are below the working directory.
    package static func obstacle(to path: String) -> String? {
        guard !path.isEmpty, !path.utf8.contains(0) else { return "is not a path" }
        var url = URL(fileURLWithPath: path).standardizedFileURL
        while true {
            var status = stat()
            if stat(url.path, &status) == 0 {
                return status.st_mode & S_IFMT == S_IFDIR ? nil : "cannot be made: \(url.path) is no directory"
            }
            let parent = url.deletingLastPathComponent()
            guard parent.path != url.path else { return nil }
            url = parent
        }
    }
}

internal import FoundationEssentials
internal import Primitives

/// The file system that contains a path, from `/proc/self/mountinfo` (proc(5)).
struct MountPoint: Equatable {
    /// The directory at which the file system is mounted.
    let directory: String
    /// The type, such as `ext4` or `nfs4`.
    let type: String

    /// Returns the file system of an existing absolute path without symbolic links, or nil if it is unknown.
    static func containing(_ path: String) -> MountPoint? {
        KernelFile.text("/proc/self/mountinfo").flatMap { containing(path, in: $0) }
    }

    /// Selects the deepest mount point. If several have the same directory, selects the last one.
    static func containing(_ path: String, in mounts: String) -> MountPoint? {
        var deepest: MountPoint?
        for line in mounts.split(separator: "\n") {
            let columns = line.split(separator: " ")
            guard columns.count > 4, let separator = columns.firstIndex(of: "-"), separator + 1 < columns.count
            else { continue }
            let mount = MountPoint(directory: unescaped(columns[4]), type: String(columns[separator + 1]))
            let folder = mount.directory == "/" ? "/" : mount.directory + "/"
            guard (path + "/").hasPrefix(folder) else { continue }
            if mount.directory.utf8.count >= deepest?.directory.utf8.count ?? 0 { deepest = mount }
        }
        return deepest
    }

    /// Decodes the octal escapes for spaces, tabs, line feeds and backslashes.
    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing("\\040", with: " ").replacing("\\011", with: "\t").replacing("\\012", with: "\n")
            .replacing("\\134", with: "\\")
    }
}

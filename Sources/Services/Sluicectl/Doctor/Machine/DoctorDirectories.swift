internal import Configuration
internal import FoundationEssentials
internal import Glibc

/// Checks whether this user can write to an executable's directory, without writing.
struct DoctorDirectories {
    /// Free space in bytes below which a database cannot grow.
    static let leastFree: UInt64 = 64 << 20
    /// Free space in bytes below which an operator should act.
    static let littleFree: UInt64 = 1 << 30

    /// Free bytes and free files on a file system.
    struct Space: Equatable {
        let bytes: UInt64
        /// The number of files that can still be created, or nil if there is no limit.
        let files: UInt64?
    }

    let directory: SluicectlParts.Dependencies.Directory
    var space: (String) -> Space? = Self.space
    var mount: (String) -> MountPoint? = MountPoint.containing

    var findings: [DoctorFinding] {
        var status = stat()
        guard stat(directory.path, &status) == 0 else { return [missing(errno)] }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return [finding(.problem, "is not a directory", fix: "Set \(directory.setting) to a directory")]
        }
        guard access(directory.path, W_OK | X_OK) == 0 else { return [notWritable(directory.path, errno)] }
        return [spaceFinding] + [mountFinding].compactMap { $0 }
    }

    private func finding(_ status: FindingStatus, _ found: String, fix: String? = nil) -> DoctorFinding {
        DoctorFinding(status, .directory, of: directory.setting, "\(directory.path) \(found)", fix: fix)
    }

    // MARK: existence and rights

    private func missing(_ error: Int32) -> DoctorFinding {
        guard error == ENOENT || error == ENOTDIR else {
            return finding(.unknown, "cannot be examined: \(NetworkAddress.message(error))")
        }
        if let obstacle = DirectoryPath.obstacle(to: directory.path) {
            return finding(.problem, obstacle, fix: "Correct \(directory.setting)")
        }
        guard directory.isCreated else {
            return finding(.problem, "does not exist", fix: "Create it, or mount its volume")
        }
        var parent = URL(fileURLWithPath: directory.path).standardizedFileURL
        while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
            parent = parent.deletingLastPathComponent()
        }
        guard access(parent.path, W_OK | X_OK) == 0 else { return notWritable(parent.path, errno) }
        return finding(.ok, "does not exist yet, but can be created in \(parent.path)")
    }

    private func notWritable(_ path: String, _ error: Int32) -> DoctorFinding {
        let fix =
            error == EROFS
            ? "Remount the file system that contains \(path) read-write"
            : "Grant the service's user write access to \(path); run doctor as this user (sudo -u)"
        return finding(.problem, "is not writable by this user: \(NetworkAddress.message(error))", fix: fix)
    }

    // MARK: space

    private static func space(_ path: String) -> Space? {
        var values = statvfs()
        guard statvfs(path, &values) == 0 else { return nil }
        let (bytes, isTooLarge) = UInt64(values.f_bavail).multipliedReportingOverflow(by: UInt64(values.f_frsize))
        return Space(
            bytes: isTooLarge ? .max : bytes, files: values.f_files == 0 ? nil : UInt64(values.f_favail))
    }

    private var spaceFinding: DoctorFinding {
        guard let space = self.space(directory.path) else {
            return finding(.unknown, "is on a file system whose free space cannot be determined")
        }
        let free = "is writable, \(space.bytes >> 20) MiB free"
        let fix = "Free up space, or enlarge the volume"
        if space.files == 0 { return finding(.problem, "has no free inodes", fix: fix) }
        if space.bytes < Self.leastFree { return finding(.problem, free, fix: fix) }
        return space.bytes < Self.littleFree ? finding(.warning, free, fix: fix) : finding(.ok, free)
    }

    // MARK: file system

    private var mountFinding: DoctorFinding? {
        guard let real = realpath(directory.path, nil) else { return nil }
        defer { free(real) }
        guard let mount = self.mount(String(cString: real)) else {
            return finding(.unknown, "is on a file system of unknown type")
        }
        switch mount.type {
        case "nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p":
            return finding(
                .warning, "is on a network file system (\(mount.type)), whose locks may fail",
                fix: "Set \(directory.setting) to a local disk")
        case "tmpfs", "ramfs":
            return finding(
                .warning, "is in memory (\(mount.type)) and is lost when the machine restarts",
                fix: "Set \(directory.setting) to a disk")
        case "overlay":
            return finding(
                .warning, "is in the writable layer of a container, and is lost with it",
                fix: "Mount a volume at \(directory.path)")
        default: return finding(.ok, "is on \(mount.type), mounted at \(mount.directory)")
        }
    }
}

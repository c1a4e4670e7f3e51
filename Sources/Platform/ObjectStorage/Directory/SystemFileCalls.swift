internal import Glibc

/// File calls to the operating system. Files have mode 0640 and folders 0750, minus the umask.
package struct SystemFileCalls: FileCalls {
    private static let fileMode: mode_t = 0o640
    private static let folderMode: mode_t = 0o750

    package init() {}

    package func openFolder(path: String) throws(SystemError) -> Int32 {
        try Self.repeated { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    package func makeFolder(path: String) throws(SystemError) {
        _ = try Self.repeated { mkdir(path, Self.folderMode) }
    }

    package func open(_ name: String, in folder: Int32, _ opening: FileOpening) throws(SystemError) -> Int32 {
        // O_NONBLOCK, because opening must not block if an object's path is a pipe.
        let flags =
            switch opening {
            case .reading: O_RDONLY | O_NONBLOCK
            case .creating: O_WRONLY | O_CREAT | O_EXCL
            case .locking: O_RDWR | O_CREAT
            case .folder: O_RDONLY | O_DIRECTORY
            }
        return try Self.repeated { openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, Self.fileMode) }
    }

    package func close(_ file: Int32) { _ = Glibc.close(file) }

    package func status(_ file: Int32) throws(SystemError) -> FileStatus {
        var status = stat()
        _ = try Self.repeated { fstat(file, &status) }
        return FileStatus(status)
    }

    package func status(_ name: String, in folder: Int32) throws(SystemError) -> FileStatus {
        var status = stat()
        _ = try Self.repeated { fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }
        return FileStatus(status)
    }

    package func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int {
        try Self.repeated { pread(file, buffer.baseAddress, buffer.count, offset) }
    }

    package func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        let count = try Self.repeated { Glibc.write(file, bytes.baseAddress, bytes.count) }
        // The system guarantees either progress or an error. With neither, the caller would retry indefinitely.
        guard count > 0 || bytes.isEmpty else { throw SystemError(number: EIO) }
        return count
    }

    package func synchronize(_ file: Int32) throws(SystemError) {
        _ = try Self.repeated { fsync(file) }
    }

    package func lock(_ file: Int32, waiting: Bool) throws(SystemError) {
        _ = try Self.repeated { flock(file, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) }
    }

    package func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }

    package func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
        _ = try Self.repeated { mkdirat(folder, name, Self.folderMode) }
    }

    package func rename(_ name: String, to newName: String, in folder: Int32) throws(SystemError) {
        _ = try Self.repeated { renameat(folder, name, folder, newName) }
    }

    package func remove(_ name: String, in folder: Int32) throws(SystemError) {
        _ = try Self.repeated { unlinkat(folder, name, 0) }
    }

    package func removeFolder(_ name: String, in folder: Int32) throws(SystemError) {
        _ = try Self.repeated { unlinkat(folder, name, AT_REMOVEDIR) }
    }

    package func entries(of folder: Int32) throws(SystemError) -> [FolderEntry] {
        // Use a separate descriptor, because reading moves a descriptor's position, and closing the stream closes its
        // descriptor.
        let descriptor = try open(".", in: folder, .folder)
        guard let stream = fdopendir(descriptor) else {
            let number = errno
            close(descriptor)
            throw SystemError(number: number)
        }
        defer { closedir(stream) }
        var entries: [FolderEntry] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw SystemError(number: errno) }
                return entries
            }
            let name = Self.name(of: entry)
            if name == "." || name == ".." { continue }
            entries.append(FolderEntry(name: name, kind: try kind(entry.pointee.d_type, name, in: folder)))
        }
    }

    private func kind(_ type: UInt8, _ name: String, in folder: Int32) throws(SystemError) -> FileStatus.Kind {
        switch Int(type) {
        case Int(DT_REG): return .file
        case Int(DT_DIR): return .folder
        case Int(DT_UNKNOWN):
            // Some file systems do not report the type in a listing.
            do throws(SystemError) {
                return try status(name, in: folder).kind
            } catch {
                guard error.number == ENOENT else { throw error }
                return .other
            }
        default: return .other
        }
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        withUnsafePointer(to: &entry.pointee.d_name) { name in
            name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                String(cString: $0)
            }
        }
    }

    private static func repeated<Number: SignedInteger>(_ call: () -> Number) throws(SystemError) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw SystemError(number: number) }
        }
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        self.init(kind: kind, byteCount: Int(status.st_size))
    }
}

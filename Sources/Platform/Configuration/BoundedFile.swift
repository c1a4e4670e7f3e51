internal import Glibc
internal import Primitives

/// The reason a file cannot be used: it is unreadable or has unexpected content.
package struct FileError: Error, Equatable {
    /// The message, without a trailing period, such as the operating system's message for an unreadable file.
    package let message: String

    package init(message: String) { self.message = message }
}

/// Reads small files with a size limit.
package enum BoundedFile {
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        let descriptor = try openForReading(path)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        // The file may contain a secret, so the buffer is wiped.
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        defer { buffer.wipe() }
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError(message: systemMessage())
            }
            if count == 0 { return bytes }
            bytes.reserveWiping(count)
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= limit else { throw FileError(message: "the file has more than \(limit) bytes") }
        }
    }

    static func checkReadable(_ path: String) throws(FileError) {
        close(try openForReading(path))
    }

    private static func openForReading(_ path: String) throws(FileError) -> Int32 {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw FileError(message: "not a path") }
        // Without O_NONBLOCK, opening a named pipe without a writer would block startup indefinitely.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(message: systemMessage()) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError(message: "not a regular file")
        }
        return descriptor
    }

    private static func systemMessage() -> String {
        String(cString: strerror(errno))
    }
}

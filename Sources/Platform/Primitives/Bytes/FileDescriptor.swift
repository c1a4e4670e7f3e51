internal import Glibc

/// An open file, closed when its last reference is released. Reads and writes block and are retried if a signal
/// interrupts them.
package final class FileDescriptor: Sendable {
    /// A failed system call, with the operating system's message.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        fileprivate init() { description = String(cString: strerror(errno)) }

        fileprivate init(_ description: String) { self.description = description }
    }

    package static let standardInput = FileDescriptor(STDIN_FILENO)
    package static let standardOutput = FileDescriptor(STDOUT_FILENO)
    package static let standardError = FileDescriptor(STDERR_FILENO)

    private let number: Int32

    private init(_ number: Int32) { self.number = number }

    /// Opens a file for reading. Opening a named pipe blocks until the pipe has a writer.
    package convenience init(reading path: String) throws(Failure) {
        try self.init(path, O_RDONLY)
    }

    /// Creates a file or truncates an existing one.
    ///
    /// - Parameter mode: the permissions of a new file, before the umask is applied.
    package convenience init(replacing path: String, mode: UInt32 = 0o666) throws(Failure) {
        try self.init(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
    }

    private convenience init(_ path: String, _ flags: Int32, _ mode: UInt32 = 0) throws(Failure) {
        guard !path.utf8.contains(0) else { throw Failure("the path contains a NUL byte") }
        let number = open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw Failure() }
        self.init(number)
    }

    deinit {
        if number > STDERR_FILENO { close(number) }
    }

    /// Reads to the end of the file.
    ///
    /// - Returns: the bytes, or nil if the file has more than `limit` bytes.
    package func readToEnd(limit: Int) throws(Failure) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure()
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { return nil }
        }
    }

    /// Writes all bytes.
    package func write(_ bytes: some Collection<UInt8>) throws(Failure) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count != 0 else { throw Failure("nothing was written") }
            guard count > 0 else { throw Failure() }
            rest = rest.dropFirst(count)
        }
    }
}

import Glibc
import Primitives
import TestSupport
import Testing

struct FileDescriptorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `a file is read back as written, and a shorter text completely replaces a longer one`() throws {
        let path = directory.file("text")
        let long = [UInt8](repeating: 7, count: 200_000)
        try FileDescriptor(replacing: path).write(long)
        #expect(try FileDescriptor(reading: path).readToEnd(limit: 200_000) == long)
        try FileDescriptor(replacing: path).write("short".utf8)
        #expect(try FileDescriptor(reading: path).readToEnd(limit: 5) == Array("short".utf8))
    }

    @Test(arguments: [0, 4, 99_999]) func `reading returns no more bytes than the limit`(limit: Int) throws {
        let path = try directory.write([UInt8](repeating: 7, count: 100_000), to: "large")
        #expect(try FileDescriptor(reading: path).readToEnd(limit: limit) == nil)
    }

    @Test func `a file created for its owner only is unreadable for everyone else`() throws {
        let path = directory.file("secret")
        try FileDescriptor(replacing: path, mode: 0o600).write("secret".utf8)
        #expect(mode(path) == 0o600)
    }

    @Test func `a file that cannot be opened fails with the operating system's error`() {
        let missing = #expect(throws: FileDescriptor.Failure.self) {
            try FileDescriptor(reading: directory.file("missing"))
        }
        #expect(missing?.description == "No such file or directory")
        let isDirectory = #expect(throws: FileDescriptor.Failure.self) {
            try FileDescriptor(replacing: directory.path)
        }
        #expect(isDirectory?.description == "Is a directory")
        let zero = #expect(throws: FileDescriptor.Failure.self) { try FileDescriptor(reading: "a\u{0}b") }
        #expect(zero?.description == "the path contains a NUL byte")
    }

    @Test func `a directory can be opened, but reading it fails`() throws {
        let file = try FileDescriptor(reading: directory.path)
        let failure = #expect(throws: FileDescriptor.Failure.self) { try file.readToEnd(limit: 1) }
        #expect(failure?.description == "Is a directory")
    }

    @Test func `a write that the device rejects is an error`() throws {
        let full = try FileDescriptor(replacing: "/dev/full")
        let failure = #expect(throws: FileDescriptor.Failure.self) { try full.write([1]) }
        #expect(failure?.description == "No space left on device")
    }
}

import Foundation
import TestSupport
import Testing

/// A root directory of another Debian release, so that the executables run with its libraries.
/// `SLUICE_TEST_DEBIAN_ROOT` names it, and `Tests/debian-root` creates it.
struct DebianRoot: Sendable {
    let path: String

    static let absence = "needs bwrap, and SLUICE_TEST_DEBIAN_ROOT with a root that Tests/debian-root made"

    /// The configured root, or nil if there is none.
    static var given: DebianRoot? {
        guard let path = ProcessInfo.processInfo.environment["SLUICE_TEST_DEBIAN_ROOT"],
            Program.path(of: "bwrap") != nil
        else { return nil }
        return DebianRoot(path: path)
    }

    /// Returns a command prefix that runs a command line in this root with the files of a test.
    func wrapper(_ harness: Harness) throws -> [String] {
        let libraries = try #require(Self.swiftLibraries)
        // The root itself stays writable, because directories of this machine are mounted into it.
        var command = ["bwrap", "--ro-bind", "\(path)/usr", "/usr", "--ro-bind", "\(path)/etc", "/etc"]
        for name in ["bin", "lib", "lib64"] { command += ["--symlink", "usr/\(name)", "/\(name)"] }
        command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        for directory in [Executable.directory.path, libraries] { command += ["--ro-bind", directory, directory] }
        return command + ["--bind", harness.directory, harness.directory]
    }

    /// Like ``wrapper(_:)``, but uses only the libraries of an x86-64 root, through its loader. The process is the
    /// executable itself, so its memory and descriptors can be read.
    func loader() throws -> [String] {
        let libraries = try #require(Self.swiftLibraries)
        return [
            "\(path)/usr/lib64/ld-linux-x86-64.so.2", "--library-path", "\(path)/usr/lib/x86_64-linux-gnu:\(libraries)",
        ]
    }

    /// The libraries of the toolchain in `PATH`.
    private static var swiftLibraries: String? {
        Program.path(of: "swift").map { path in
            let bin = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent()
            return bin.deletingLastPathComponent().appending(path: "lib/swift/linux").path
        }
    }
}

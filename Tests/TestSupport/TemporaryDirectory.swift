import Foundation

/// A directory for one test, removed when the last reference is released.
package final class TemporaryDirectory: Sendable {
    /// Absolute path.
    package let path = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)").path

    package init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file, which need not exist.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file and returns its path.
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: file(name)))
        return file(name)
    }

    package func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }
}

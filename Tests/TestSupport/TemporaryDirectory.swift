import Foundation

/// A directory of a test's own, removed with the last reference.
package final class TemporaryDirectory: Sendable {
    /// Absolute.
    package let path = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)").path

    package init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file that may not exist.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Makes a file and gives its path.
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: file(name)))
        return file(name)
    }

    package func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }
}

internal import Primitives

/// A hash of a file's content, for comparing files that contain secrets. It is valid only within the process.
package struct FileFingerprint: Sendable, Equatable {
    private let hash: Int

    /// - Throws: ``FileError`` if the file cannot be read, is not a regular file, or is larger than 1 MiB.
    package init(path: String) throws(FileError) {
        let bytes = try BoundedFile.read(path, limit: 1 << 20)
        defer { bytes.wipe() }
        // The hasher's seed is random in each process, so even a printed hash reveals nothing.
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hash = hasher.finalize()
    }
}

extension Configuration {
    /// Returns the paths given under an open prefix, keyed by property: the paths of secret files
    /// (`kafka.sasl.password.file`), and the values of properties whose names end with `.location`.
    package func files(under prefix: String) -> [String: String] {
        var files: [String: String] = [:]
        for entry in entries where entry.key.hasPrefix(prefix) {
            let property = entry.key.dropFirst(prefix.count)
            guard let path = entry.text, property.hasSuffix(".file") || property.hasSuffix(".location") else {
                continue
            }
            files[String(property)] = path
        }
        return files
    }
}

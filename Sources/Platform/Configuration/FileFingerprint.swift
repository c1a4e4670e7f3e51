internal import Bytes

/// A hash that tells the content of a file from another one while the process runs: for files with secrets, which are
/// only compared.
package struct FileFingerprint: Sendable, Equatable {
    private let hash: Int

    /// - Throws: when the file cannot be read, is no regular file, or has more than a mebibyte.
    package init(path: String) throws(FileProblem) {
        let bytes = try BoundedFile.read(path, limit: 1 << 20)
        defer { bytes.wipe() }
        // Seeded at random for each process: nothing can be learnt from it, also where it is printed.
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hash = hasher.finalize()
    }
}

extension Configuration {
    /// The files that keys under an open prefix name, by the property: the file of a secret
    /// (`kafka.sasl.password.file`), and the values of properties that end with `.location`.
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

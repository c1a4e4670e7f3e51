/// Files that the kernel generates, such as those under `/proc`.
package enum KernelFile {
    private static let maximumBytes = 64 << 20

    /// Returns the text of a file, or nil if it cannot be read or is larger than 64 MiB. The kernel returns these files
    /// in pieces of up to 4 KB, and `FileManager` reads only the first.
    package static func text(_ path: String) -> String? {
        guard let bytes = try? FileDescriptor(reading: path).readToEnd(limit: maximumBytes) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

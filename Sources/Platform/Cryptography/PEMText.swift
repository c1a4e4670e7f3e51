/// Prepares PEM text from files.
enum PEMText {
    /// Returns the text without a leading byte order mark and whitespace, which editors and secret stores add and some
    /// versions of OpenSSL do not skip. Does not copy.
    static func trimmed(_ pem: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var text = pem[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        return UnsafeRawBufferPointer(rebasing: text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) })
    }
}

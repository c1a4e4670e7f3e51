/// PEM as people store it.
enum PEMText {
    /// The text without a byte order mark and blanks in front, which editors and secret stores add and which not every
    /// release of OpenSSL skips. Nothing is copied.
    static func trimmed(_ pem: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var text = pem[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        return UnsafeRawBufferPointer(rebasing: text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) })
    }
}

internal import CSystem

/// Searches bytes for one pattern, with the C library's `memmem`, which skips most bytes.
package struct ByteSearch: Sendable {
    private let pattern: [UInt8]

    package init(_ pattern: [UInt8]) { self.pattern = pattern }

    /// Returns whether the bytes contain the pattern; false for an empty pattern.
    package func isFound(in bytes: UnsafeRawBufferPointer) -> Bool {
        pattern.withUnsafeBytes { pattern in
            guard let text = bytes.baseAddress, let sought = pattern.baseAddress, !pattern.isEmpty else { return false }
            return cv_contains(text, bytes.count, sought, pattern.count) != 0
        }
    }

    /// Returns whether the text contains the pattern; false for an empty pattern.
    package func isFound(in text: [UInt8]) -> Bool { text.withUnsafeBytes { isFound(in: $0) } }
}

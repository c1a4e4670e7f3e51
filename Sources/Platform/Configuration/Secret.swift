/// Bytes that are never printed: descriptions, debug descriptions and reflection show `<secret>`.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    /// - Parameter bytes: the secret.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The secret bytes. The name makes every use stand out in a review.
    public var revealedBytes: [UInt8] { bytes }

    public var description: String { "<secret>" }
    public var debugDescription: String { "<secret>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A secret in a separate file, such as a mounted secret with mode 0400.
public struct SecretFile: Sendable, CustomStringConvertible {
    /// The file's path, which is safe to print.
    public let path: String
    /// The content of the file when it was read, without a final line break.
    public let contents: Secret

    /// The maximum size of a secret in bytes.
    public static let maximumBytes = 64 * 1024

    init(path: String) throws(FileError) {
        var bytes = try BoundedFile.read(path, limit: SecretFile.maximumBytes)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw FileError(message: "the file is empty") }
        self.path = path
        self.contents = Secret(bytes)
    }

    public var description: String { path }
}

/// The location of a store: `/path`, `file:///path` or `s3://bucket/prefix`.
package enum ObjectStoreURL: Sendable, Hashable, CustomStringConvertible {
    /// A directory, given by its absolute path.
    case directory(String)
    /// A bucket, with an optional prefix for all names.
    case bucket(String, prefix: ObjectName?)

    /// - Throws: ``ObjectStoreError`` with code `invalidURL` and the allowed forms in the message.
    package init(_ text: String) throws(ObjectStoreError) {
        if text.hasPrefix("/") {
            self = .directory(try Self.path(text, of: text))
        } else if text.hasPrefix("file://") {
            self = .directory(try Self.path(text.dropFirst("file://".count), of: text))
        } else if text.hasPrefix("s3://") {
            self = try Self.bucket(text.dropFirst("s3://".count))
        } else {
            throw Self.invalid("expected /path, file:///path or s3://bucket/prefix")
        }
    }

    package var description: String {
        switch self {
        case .directory(let path): path
        case .bucket(let bucket, let prefix): "s3://\(bucket)" + (prefix.map { "/\($0)" } ?? "")
        }
    }

    /// Returns an absolute path without a trailing `/`. The path of a `file:` URL is used verbatim, so escapes are
    /// refused.
    private static func path(_ path: some StringProtocol, of text: String) throws(ObjectStoreError) -> String {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw invalid("the path is not absolute") }
        guard !text.hasPrefix("file:") || !path.utf8.contains(where: { [37, 63, 35].contains($0) }) else {
            throw invalid("a path with '%', '?' or '#' must be given without file://")
        }
        var path = String(path)
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard path != "/" else { throw invalid("the root of the file system cannot be a store") }
        return path
    }

    private static func bucket(_ rest: Substring) throws(ObjectStoreError) -> ObjectStoreURL {
        let bucket = String(rest.prefix { $0 != "/" })
        var prefix = rest.dropFirst(bucket.count)
        if prefix.first == "/" { prefix = prefix.dropFirst() }
        if prefix.last == "/" { prefix = prefix.dropLast() }
        guard isBucketName(bucket) else {
            throw invalid("a bucket name must have 3 to 63 characters: lower-case letters, digits, '.' and '-'")
        }
        guard !prefix.isEmpty else { return .bucket(bucket, prefix: nil) }
        guard prefix.utf8.count <= 100, let name = try? ObjectName(String(prefix)) else {
            throw invalid(
                "the prefix may have up to 100 characters: letters, digits, '.', '_', '-', and '/' between parts")
        }
        return .bucket(bucket, prefix: name)
    }

    /// Whether a string is a valid bucket name. Source: Amazon S3 User Guide, "Bucket naming rules".
    private static func isBucketName(_ name: String) -> Bool {
        func isEdge(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        let bytes = Array(name.utf8)
        guard (3...63).contains(bytes.count), let first = bytes.first, let last = bytes.last else { return false }
        return isEdge(first) && isEdge(last) && !name.contains("..")
            && bytes.allSatisfy { isEdge($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    /// Returns an error without the URL, which may accidentally contain a password.
    private static func invalid(_ problem: String) -> ObjectStoreError {
        ObjectStoreError(.invalidURL, "invalid store URL: \(problem)")
    }
}

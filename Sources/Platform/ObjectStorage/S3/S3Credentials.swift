package import Configuration

/// An access key for an S3-compatible service.
package struct S3Credentials: Sendable {
    package let accessKeyId: String
    package let secretAccessKey: Secret
    /// The session token, if the key is temporary.
    package let sessionToken: String?

    package init(accessKeyId: String, secretAccessKey: Secret, sessionToken: String? = nil) {
        self.accessKeyId = accessKeyId
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// The maximum size of a credentials file in bytes.
    static let maximumFileBytes = 16 * 1024

    /// Parses a file in the format that AWS's tools use: `aws_access_key_id = …`, `aws_secret_access_key = …` and, for
    /// temporary keys, `aws_session_token = …`, under at most one section.
    ///
    /// - Throws: an error that describes the problem, without the content of the file.
    package init(file text: [UInt8]) throws(FileError) {
        var values: [String: String] = [:]
        var sections = 0
        for (index, line) in String(decoding: text, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).enumerated() {
            let line = line.drop(while: \.isWhitespace)
            if line.isEmpty || line.first == "#" || line.first == ";" { continue }
            if line.first == "[" {
                sections += 1
                guard sections == 1, values.isEmpty else {
                    throw FileError(message: "line \(index + 1) begins a second section; only one is allowed")
                }
                continue
            }
            guard let separator = line.firstIndex(of: "=") else {
                throw FileError(message: "line \(index + 1) must have the form name = value")
            }
            let name = Self.trimmed(line[..<separator])
            let value = Self.trimmed(line[line.index(after: separator)...])
            guard !value.isEmpty, value.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
                throw FileError(
                    message: "line \(index + 1) has no value, or a value with invalid characters")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw FileError(message: "line \(index + 1) repeats the name of an earlier line")
            }
        }
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
            throw FileError(message: "aws_access_key_id or aws_secret_access_key is missing")
        }
        self.init(
            accessKeyId: id, secretAccessKey: Secret(Array(secret.utf8)), sessionToken: values["aws_session_token"])
    }

    /// Parses one section of AWS's shared credentials file. Returns nil if there is no such section.
    ///
    /// - Throws: an error that describes the problem, without the content of the section.
    package init?(sharedFile text: [UInt8], profile: String) throws(FileError) {
        var section: [Substring]?
        let file = String(decoding: text, as: UTF8.self)
        for line in file.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let name = Self.trimmed(line)
            guard name.hasPrefix("[") else {
                section?.append(line)
                continue
            }
            guard section == nil else { break }
            if Self.trimmed(name.dropFirst().prefix { $0 != "]" }) == profile { section = [] }
        }
        guard let section else { return nil }
        try self.init(file: Array(section.joined(separator: "\n").utf8))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

internal import JSON

extension Configuration {
    /// The output format for the effective configuration.
    package enum Format: Sendable {
        /// One `key=value` line per key, with the origin as a comment.
        case text
        /// A JSON object with one member per key; each value is an object with `value` and `origin`.
        case json
    }

    private static let mask = "********"

    /// Returns every key with its value and origin. Secrets are masked.
    package func describe(_ format: Format = .text) -> String {
        switch format {
        case .text:
            let lines = entries.map { entry in
                let line = shown(entry).map { "\(entry.key)=\($0)" } ?? "# \(entry.key) is not set"
                return (line, entry.origin)
            }
            let width = min(60, lines.map(\.0.count).max() ?? 0)
            return lines.map { line, origin in
                line + String(repeating: " ", count: max(0, width - line.count)) + "  # \(origin)\n"
            }.joined()
        case .json:
            var json = JSONWriter()
            json.object { json in
                for entry in entries.sorted(by: { $0.key < $1.key }) {
                    json.name(of: entry.key)
                    json.object { json in
                        json.set("origin", entry.origin.description)
                        json.name("value")
                        // Write null for a missing value, so that all entries have the same shape.
                        if let value = shown(entry) { json.string(value) } else { json.null() }
                    }
                }
            }
            return String(decoding: json.bytes, as: UTF8.self) + "\n"
        }
    }

    private func shown(_ entry: Entry) -> String? {
        guard let text = entry.text else { return nil }
        return entry.isSecret ? Configuration.mask : Configuration.withoutURLPassword(text)
    }

    /// Masks the user name and the password in URLs like `https://user:password@host`.
    static func withoutURLPassword(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let scheme = rest.firstRange(of: "://") {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !"/?#, ".contains($0) }
            if let at = authority.lastIndex(of: "@") {
                result += mask
                rest = rest[at...]
            }
        }
        return result + rest
    }
}

extension Configuration: CustomStringConvertible, CustomReflectable {
    /// The settings as text, with secrets masked.
    public var description: String { describe(.text) }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

internal import Primitives

extension JSONDocument {
    /// The data that ``redacted(_:)`` removes from JSON text.
    package struct Redaction: Sendable {
        /// Lower-case ASCII names of members to remove at any depth; case is ignored and escapes are resolved.
        package var names: [String]
        /// Names of additional members to remove, matched like `names`. Their values are secrets, which must not occur
        /// anywhere in the result.
        package var secretNames: [String]
        /// Additional strings that must not occur in the result.
        package var secrets: [[UInt8]]

        package init(names: [String], secretNames: [String] = [], secrets: [[UInt8]] = []) {
            self.names = names
            self.secretNames = secretNames
            self.secrets = secrets
        }

        /// The minimum length of a secret from a nested member; removing shorter ones could remove most of the text.
        static let leastSecretBytes = 8
        /// The maximum number of secrets. Text with more secrets is replaced by `{}`, because the whole text is
        /// searched for each secret.
        static let maximumSecrets = 16
        /// The number of levels to search when JSON strings themselves contain JSON.
        static let nestedTextLevels = 4
    }

    /// Returns the text without the removed members and their commas; all other bytes are unchanged.
    ///
    /// All other names and values are searched for secrets, with escapes resolved, including JSON inside strings. A
    /// value that contains a secret is replaced by `""`; a member with a secret in its name is removed. The result is
    /// valid JSON. If it still contains the bytes of a secret, which is possible only if the secret consists of JSON
    /// punctuation, the result is `{}`. Secrets in any other encoding, such as base64, are not recognized.
    package func redacted(_ redaction: Redaction) -> [UInt8] {
        let search = RedactionSearch(document: self, redaction: redaction)
        defer { for text in search.found { text.wipe() } }
        guard search.secrets.count <= Redaction.maximumSecrets else { return Array("{}".utf8) }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var position = 0
        for edit in search.edits() where edit.range.lowerBound >= position {
            output.append(contentsOf: bytes[position..<edit.range.lowerBound])
            output.append(contentsOf: edit.replacement.utf8)
            position = edit.range.upperBound
        }
        output.append(contentsOf: bytes[position...])
        guard search.secrets.contains(where: { $0.isFound(in: output[...]) }) else { return output }
        output.wipe()
        return Array("{}".utf8)
    }
}

/// Finds the edits that a redaction makes to one document.
private struct RedactionSearch {
    struct Edit {
        let range: Range<Int>
        let replacement: String
    }

    let document: JSONDocument
    let redaction: JSONDocument.Redaction
    let secrets: [BytePattern]
    /// Secrets found in the document. The caller must overwrite them after use.
    let found: [[UInt8]]

    init(document: JSONDocument, redaction: JSONDocument.Redaction) {
        self.document = document
        self.redaction = redaction
        let given = redaction.secrets.filter { !$0.isEmpty }
        var texts: [[UInt8]] = []
        for (text, depth) in Self.secretTexts(in: document, redaction.secretNames) {
            let isSecret = depth == 1 ? !text.isEmpty : text.count >= JSONDocument.Redaction.leastSecretBytes
            guard isSecret, texts.count <= JSONDocument.Redaction.maximumSecrets, !texts.contains(text) else {
                text.wipe()
                continue
            }
            texts.append(text)
        }
        found = texts
        secrets = (given + texts).map { BytePattern($0) }
    }

    /// Returns the edits in text order. An enclosing edit precedes the edits inside it.
    func edits() -> [Edit] {
        let nodes = document.nodes
        var edits: [Edit] = []
        var index = 0
        while index < nodes.count {
            switch nodes[index].kind {
            case .object: removals(in: index, to: &edits)
            case .string:
                if containsSecret(index) {
                    edits.append(Edit(range: document.quotedRange(of: index), replacement: "\"\""))
                }
            case .number:
                let range = Int(nodes[index].start)..<Int(nodes[index].end)
                if secrets.contains(where: { $0.isFound(in: document.bytes[range]) }) {
                    edits.append(Edit(range: range, replacement: "\"\""))
                }
            case .null, .bool, .array: break
            }
            index += 1
        }
        edits.sort {
            // The removal of a member begins at the same position as an edit to its name, so put the longer range
            // first.
            ($0.range.lowerBound, -$0.range.count) < ($1.range.lowerBound, -$1.range.count)
        }
        return edits
    }

    /// Adds the ranges of consecutive removed members and their commas.
    private func removals(in object: Int, to edits: inout [Edit]) {
        let nodes = document.nodes
        let end = Int(nodes[object].next)
        var name = object + 1
        var runStart: Int?
        var runEnd = 0
        var keptEnd: Int?
        while name < end {
            let start = Int(nodes[name].start) - 1
            let value = name + 1
            let valueEnd = nodes[value].kind == .string ? Int(nodes[value].end) + 1 : Int(nodes[value].end)
            if isRemoved(name) {
                runStart = runStart ?? start
                runEnd = valueEnd
            } else {
                if let first = runStart { edits.append(Edit(range: first..<start, replacement: "")) }
                runStart = nil
                keptEnd = valueEnd
            }
            name = Int(nodes[value].next)
        }
        guard let runStart else { return }
        edits.append(Edit(range: (keptEnd ?? runStart)..<runEnd, replacement: ""))
    }

    private func isRemoved(_ name: Int) -> Bool {
        matches(name, redaction.names) || matches(name, redaction.secretNames) || containsSecret(name)
    }

    private func matches(_ name: Int, _ names: [String]) -> Bool { Self.matches(name, names, in: document) }

    private static func matches(_ name: Int, _ names: [String], in document: JSONDocument) -> Bool {
        let node = document.nodes[name]
        let length = Int(node.end) - Int(node.start)
        if node.hasEscapes {
            let text = JSONBytes.decoded(document.bytes.span, from: Int(node.start), to: Int(node.end))
            return names.contains { isEqual(text[...], $0) }
        }
        return names.contains {
            $0.utf8.count == length && isEqual(document.bytes[Int(node.start)..<Int(node.end)], $0)
        }
    }

    /// Compares two strings, ignoring the case of ASCII letters. Setting bit 5 of a letter makes it lower case.
    private static func isEqual(_ text: ArraySlice<UInt8>, _ name: String) -> Bool {
        text.count == name.utf8.count
            && zip(text, name.utf8).allSatisfy { byte, expected in
                byte == expected
                    || (byte | 0x20 == expected && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(expected))
            }
    }

    private func containsSecret(_ index: Int) -> Bool {
        guard !secrets.isEmpty else { return false }
        let node = document.nodes[index]
        let range = Int(node.start)..<Int(node.end)
        guard node.hasEscapes else { return secrets.contains { $0.isFound(in: document.bytes[range]) } }
        var text = JSONBytes.decoded(document.bytes.span, from: range.lowerBound, to: range.upperBound)
        defer { text.wipe() }
        for _ in 0..<JSONDocument.Redaction.nestedTextLevels {
            if secrets.contains(where: { $0.isFound(in: text[...]) }) { return true }
            guard text.contains(UInt8(ascii: "\\")) else { return false }
            let inner = JSONBytes.decoded(text.span, from: 0, to: text.count)
            text.wipe()
            text = inner
        }
        return secrets.contains { $0.isFound(in: text[...]) }
    }

    /// Returns the value of every string or number with one of these names, and its depth: 1 in the outermost object, 2
    /// in any other.
    private static func secretTexts(in document: JSONDocument, _ names: [String]) -> [(text: [UInt8], depth: Int)] {
        guard !names.isEmpty else { return [] }
        let nodes = document.nodes
        var texts: [(text: [UInt8], depth: Int)] = []
        for object in nodes.indices where nodes[object].kind == .object {
            var name = object + 1
            while name < Int(nodes[object].next) {
                let value = nodes[name + 1]
                if value.kind == .string || value.kind == .number, matches(name, names, in: document) {
                    let text = JSONBytes.decoded(document.bytes.span, from: Int(value.start), to: Int(value.end))
                    texts.append((text, object == 0 ? 1 : 2))
                }
                name = Int(value.next)
            }
        }
        return texts
    }
}

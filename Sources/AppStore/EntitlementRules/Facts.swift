internal import AppStoreModel
package import JSON

/// The content of one statement.
package protocol FactsContent: Hashable, Sendable {
    var version: FactVersion { get }
    /// Creates empty content.
    init(version: FactVersion)
    /// Reads the output of ``write(to:)``, or returns nil if there is no signedDate.
    init?(_ element: JSONElement)
    /// Writes the members of an object, including the version and unknown fields. Equal content produces identical
    /// text.
    func write(to object: inout JSONWriter)
}

/// Facts passed by reference, together with the JSON text that they were read from or will be written as. Most
/// notifications leave facts unchanged, so the text can be reused.
@dynamicMemberLookup
package struct Facts<Content: FactsContent>: VersionedFacts {
    package let version: FactVersion
    private let storage: LazyContent<Content>

    /// - Parameter text: the JSON object with the output of ``write(to:)``, if available.
    package init(_ content: Content, text: ArraySlice<UInt8>? = nil) {
        version = content.version
        storage = LazyContent(content, text: text)
    }

    /// Creates facts from text written by this library, without parsing it yet. Returns nil if there is no signedDate.
    init?(unread element: JSONElement) {
        var fields = FieldReader(element)
        guard let version = fields.version() else { return nil }
        self.version = version
        storage = LazyContent(unread: element.bytes)
    }

    private var box: LazyContent<Content>.Box {
        storage.box { [version] in $0.flatMap { Content($0) } ?? Content(version: version) }
    }

    package var content: Content { box.content }

    package subscript<Value>(dynamicMember path: KeyPath<Content, Value>) -> Value {
        @inline(__always) get { box.content[keyPath: path] }
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<Content, Value>) -> Value {
        @inline(__always) get { box.content[keyPath: path] }
        set {
            var content = content
            content[keyPath: path] = newValue
            self = Facts(content)
        }
    }

    func writeObject(to writer: inout JSONWriter) {
        if let text = storage.text { writer.text(text) } else { writer.object { content.write(to: &$0) } }
    }

    /// These facts with their JSON text, for facts that are about to be written.
    var written: Facts { Facts(content, text: JSONWriter.text { writeObject(to: &$0) }[...]) }

    package static func == (one: Facts, other: Facts) -> Bool {
        if one.storage === other.storage { return true }
        if let text = one.storage.text, let otherText = other.storage.text, text == otherText { return true }
        return one.content == other.content
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

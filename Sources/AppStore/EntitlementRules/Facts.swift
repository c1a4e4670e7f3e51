internal import AppStoreModel
package import JSON

/// What one statement says.
package protocol FactsContent: Hashable, Sendable {
    var version: FactVersion { get }
    /// One that says nothing.
    init(version: FactVersion)
    /// Reads what ``write(to:)`` wrote. Nil without a signedDate.
    init?(_ element: JSONElement)
    /// Writes the members of an object, with the version and unknown fields: equal contents have equal texts.
    func write(to object: inout JSONWriter)
}

/// Facts that are passed on as one reference, with the JSON text that they were read from or are written as: most
/// notifications leave them unchanged.
@dynamicMemberLookup
package struct Facts<Content: FactsContent>: VersionedFacts {
    package let version: FactVersion
    private let storage: LazyContent<Content>

    /// - Parameter text: what ``write(to:)`` would write, inside its braces.
    package init(_ content: Content, text: ArraySlice<UInt8>? = nil) {
        version = content.version
        storage = LazyContent(content, text: text)
    }

    /// Facts of a text that this library wrote. Nil without a signedDate.
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

    /// The same with their text at hand, for facts that are going to be written.
    var written: Facts { Facts(content, text: JSONWriter.text { writeObject(to: &$0) }[...]) }

    package static func == (one: Facts, other: Facts) -> Bool {
        if one.storage === other.storage { return true }
        if let text = one.storage.text, let otherText = other.storage.text, text == otherText { return true }
        return one.content == other.content
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

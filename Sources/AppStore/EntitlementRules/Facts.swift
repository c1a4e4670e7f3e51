internal import AppStoreModel
package import JSON

/// What one statement says.
package protocol FactsContent: Hashable, Sendable {
    var version: FactVersion { get }
    /// Writes the members of an object, with the version and unknown fields: equal contents have equal texts.
    func write(to object: inout JSONWriter)
}

/// Facts that are passed on as one reference, with the JSON text that they were read from or are written as: most
/// notifications leave them unchanged.
@dynamicMemberLookup
package struct Facts<Content: FactsContent>: VersionedFacts {
    private final class Storage: Sendable {
        let content: Content
        /// Of the whole object.
        let text: ArraySlice<UInt8>?

        init(_ content: Content, text: ArraySlice<UInt8>?) {
            self.content = content
            self.text = text
        }
    }

    private var storage: Storage

    /// - Parameter text: what ``write(to:)`` would write, inside its braces.
    package init(_ content: Content, text: ArraySlice<UInt8>? = nil) {
        storage = Storage(content, text: text)
    }

    package var content: Content { @inline(__always) get { storage.content } }

    package var version: FactVersion { @inline(__always) get { storage.content.version } }

    package subscript<Value>(dynamicMember path: KeyPath<Content, Value>) -> Value {
        @inline(__always) get { storage.content[keyPath: path] }
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<Content, Value>) -> Value {
        @inline(__always) get { storage.content[keyPath: path] }
        set {
            var content = storage.content
            content[keyPath: path] = newValue
            storage = Storage(content, text: nil)
        }
    }

    func writeObject(to writer: inout JSONWriter) {
        if let text = storage.text { writer.text(text) } else { writer.object { storage.content.write(to: &$0) } }
    }

    /// The same with their text at hand, for facts that are going to be written.
    var written: Facts {
        var writer = JSONWriter(reservingCapacity: 1024)
        writeObject(to: &writer)
        return Facts(storage.content, text: writer.bytes[...])
    }

    package static func == (one: Facts, other: Facts) -> Bool {
        one.storage === other.storage || one.storage.content == other.storage.content
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storage.content) }
}

internal import COpenSSL

/// An object identifier, for example of a certificate extension.
package final class OID: @unchecked Sendable, Hashable, CustomStringConvertible {
    // @unchecked Sendable because the ASN1_OBJECT does not change after init.

    // Owned; freed in deinit.
    let handle: OpaquePointer
    /// The arcs as decimal numbers, separated by dots.
    package let text: String

    /// Creates an identifier from a literal in dotted decimal form.
    package convenience init(_ text: StaticString) {
        guard let handle = OBJ_txt2obj(text.description, 1) else {
            // The literal is not an object identifier, which is a programming error.
            preconditionFailure("\(text) is not an object identifier")
        }
        self.init(handle: handle, text: text.description)
    }

    /// Creates an identifier from configuration or a test table. Returns nil if the text is not in dotted decimal form.
    package convenience init?(dotted text: String) {
        defer { ErrorQueue.clear() }
        guard let handle = OBJ_txt2obj(text, 1) else { return nil }
        self.init(handle: handle, text: text)
    }

    private init(handle: OpaquePointer, text: String) {
        self.handle = handle
        self.text = text
    }

    deinit {
        ASN1_OBJECT_free(handle)
    }

    package static func == (left: OID, right: OID) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    package var description: String { text }
}

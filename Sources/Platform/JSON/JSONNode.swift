/// A value or member name in the flat index of scanned text. The nodes of the index are in text order.
///
/// The children of an object are name, value, name, value…; the children of an array are its elements. `next` skips a
/// value and everything inside it.
@usableFromInline
package struct JSONNode: Sendable {
    @usableFromInline
    package enum Kind: UInt8, Sendable {
        case null, bool, number, string, array, object
    }

    /// The start of the value's bytes; for a string, of the bytes between its quotes.
    @usableFromInline package var start: UInt32
    @usableFromInline package var end: UInt32
    /// The index of the first node after this one and its descendants.
    @usableFromInline package var next: UInt32
    /// For a string, a hash of its length and some of its bytes. It distinguishes most names without reading them.
    @usableFromInline package var fingerprint: UInt16
    @usableFromInline package var kind: Kind
    /// Whether a string contains a backslash.
    @usableFromInline package var hasEscapes: Bool
}

/// One value or member name in the flat index of a scanned text, in text order.
///
/// The children of an object are name, value, name, value…; the children of an array are its elements. `next` skips a
/// value including everything inside it.
@usableFromInline
package struct JSONNode: Sendable {
    @usableFromInline
    package enum Kind: UInt8, Sendable {
        case null, bool, number, string, array, object
    }

    /// Start of the value's bytes; for a string, the start of the bytes between its quotes.
    @usableFromInline package var start: UInt32
    @usableFromInline package var end: UInt32
    /// Index of the first node after this one and its descendants.
    @usableFromInline package var next: UInt32
    /// For a string, a value that combines its length and some of its bytes, so that different names are distinguished
    /// without reading them.
    @usableFromInline package var fingerprint: UInt16
    @usableFromInline package var kind: Kind
    /// For a string, whether it contains a backslash.
    @usableFromInline package var hasEscapes: Bool
}

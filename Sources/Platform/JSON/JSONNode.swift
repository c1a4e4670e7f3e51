/// One value or member name in the flat index of a scanned text, in text order.
///
/// The children of an object are name, value, name, value…; those of an array are its elements. `next` skips a value
/// with everything inside it.
@usableFromInline
package struct JSONNode: Sendable {
    @usableFromInline
    package enum Kind: UInt8, Sendable {
        case null, bool, number, string, array, object
    }

    /// The bytes of the value; for a string the bytes between its quotes.
    @usableFromInline package var start: UInt32
    @usableFromInline package var end: UInt32
    /// Index of the first node after this one and its descendants.
    @usableFromInline package var next: UInt32
    /// For a string: a mix of its length and some bytes, so that unequal names are distinguished without reading them.
    @usableFromInline package var fingerprint: UInt16
    @usableFromInline package var kind: Kind
    /// For a string: whether it contains a backslash.
    @usableFromInline package var hasEscapes: Bool
}

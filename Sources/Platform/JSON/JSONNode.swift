/// One value or member name in the flat index of a scanned text, in the order of the text.
///
/// The children of an object are name, value, name, value…; those of an array its elements. `next` steps over a
/// value with everything inside it.
@usableFromInline
package struct JSONNode: Sendable {
    @usableFromInline
    package enum Kind: UInt8, Sendable {
        case null, bool, number, string, array, object
    }

    /// Bytes of the value; of a string the bytes between its quotes.
    @usableFromInline package var start: UInt32
    @usableFromInline package var end: UInt32
    /// Index of the first node after this one and all it contains.
    @usableFromInline package var next: UInt32
    /// Of a string: mixes length and some bytes, so that unequal names are distinguished without reading them.
    @usableFromInline package var fingerprint: UInt16
    @usableFromInline package var kind: Kind
    /// Of a string: it contains a backslash.
    @usableFromInline package var hasEscapes: Bool
}

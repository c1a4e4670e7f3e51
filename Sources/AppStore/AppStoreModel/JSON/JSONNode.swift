/// One value or member name in the flat index of a scanned text, in the order of the text.
///
/// The children of an object are name, value, name, value…; those of an array its elements. `next` steps over a
/// value with everything inside it.
struct JSONNode: Sendable {
    enum Kind: UInt8, Sendable {
        case null, bool, number, string, array, object
    }

    /// Bytes of the value; of a string the bytes between its quotes.
    var start: UInt32
    var end: UInt32
    /// Index of the first node after this one and all it contains.
    var next: UInt32
    /// Of a string: mixes length and some bytes, so that unequal names are told apart without reading them.
    var fingerprint: UInt16
    var kind: Kind
    /// Of a string: it contains a backslash.
    var hasEscapes: Bool
}

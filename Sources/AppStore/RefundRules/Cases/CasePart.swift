internal import AppStoreModel
package import JSON

/// A part of a case that is replaced as a whole. All members of the consumer group order competing values of a part in
/// the same way, so keeping the greater of two values is a join.
package protocol CasePart: Hashable, Sendable {
    /// The rank of the part. Ranks are compared element by element; the parts' texts decide only if the ranks are
    /// equal. ``erase()`` does not change the rank.
    var rank: [Int64] { get }
    /// Removes personal data. By default, a part contains none.
    mutating func erase()
    /// Writes the members of the part's object. Equal parts have identical text.
    func write(to object: inout JSONWriter)
    /// Returns nil if a required member is missing.
    init?(_ element: JSONElement)
}

extension CasePart {
    package mutating func erase() {}

    /// Returns the part with the greater rank or, if the ranks are equal, the part with the greater text.
    ///
    /// Texts without personal data are compared first. Otherwise, the result would depend on whether a part was erased
    /// before or after it was compared.
    static func greater(_ one: Self?, _ other: Self?) -> Self? {
        guard let one, let other else { return one ?? other }
        guard one != other else { return one }
        if one.rank != other.rank { return one.rank.lexicographicallyPrecedes(other.rank) ? other : one }
        let (text, otherText) = (one.erased.text, other.erased.text)
        if text != otherText { return text.lexicographicallyPrecedes(otherText) ? other : one }
        return one.text.lexicographicallyPrecedes(other.text) ? other : one
    }

    private var erased: Self {
        var part = self
        part.erase()
        return part
    }

    private var text: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }
}

extension JSONWriter {
    mutating func set(_ name: StaticString, _ part: (some CasePart)?) {
        guard let part else { return }
        object(name) { part.write(to: &$0) }
    }

    mutating func set(_ name: StaticString, _ identifier: (some AppStoreIdentifier)?) {
        set(name, identifier?.rawValue)
    }
}

extension FieldReader {
    mutating func part<Part: CasePart>(_ name: StaticString) -> Part? {
        element(name).flatMap { $0.kind == .object ? Part($0) : nil }
    }
}

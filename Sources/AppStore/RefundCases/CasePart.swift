internal import AppStoreModel
internal import JSON

/// Something that was said about a case, replaced as a whole by what was said later: a total order that every member
/// agrees on, so that keeping the greater of two is a join.
protocol RefundStatement: Hashable, Sendable {
    /// Compared first, in order.
    var rank: [Int64] { get }
    /// Writes the members of its object: equal statements have equal texts.
    func write(to object: inout JSONWriter)
    /// Nil where a member is missing that it cannot do without.
    init?(_ element: JSONElement)
}

extension RefundStatement {
    /// The later of two; where both are equally late, the one with the greater text.
    static func later(_ one: Self?, _ other: Self?) -> Self? {
        guard let one, let other else { return one ?? other }
        if one.rank != other.rank { return one.rank.lexicographicallyPrecedes(other.rank) ? other : one }
        return one == other || !one.text.lexicographicallyPrecedes(other.text) ? one : other
    }

    private var text: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }
}

extension JSONWriter {
    mutating func set(_ name: StaticString, _ statement: (some RefundStatement)?) {
        guard let statement else { return }
        object(name) { statement.write(to: &$0) }
    }

    mutating func set(_ name: StaticString, _ identifier: (some AppStoreIdentifier)?) {
        set(name, identifier?.rawValue)
    }
}

extension FieldReader {
    mutating func statement<Statement: RefundStatement>(_ name: StaticString) -> Statement? {
        element(name).flatMap { $0.kind == .object ? Statement($0) : nil }
    }
}

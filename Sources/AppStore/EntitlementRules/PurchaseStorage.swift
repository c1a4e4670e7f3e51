/// The object that holds the properties of ``PurchaseFacts``, so that copying the facts copies only one reference.
final class PurchaseStorage: @unchecked Sendable {
    // @unchecked Sendable because the fields change only while a single value refers to the object, and the compiler
    // enforces exclusive access to that value.
    @exclusivity(unchecked) var fields: PurchaseFields

    init(_ fields: PurchaseFields) { self.fields = fields }
}

/// Stores the unsigned facts behind a reference, so that the many purchases without unsigned facts use little memory.
final class LegacyStorage: Hashable, Sendable {
    let facts: LegacyFacts

    init(_ facts: LegacyFacts) { self.facts = facts }

    static func == (one: LegacyStorage, other: LegacyStorage) -> Bool { one === other || one.facts == other.facts }

    func hash(into hasher: inout Hasher) { hasher.combine(facts) }
}

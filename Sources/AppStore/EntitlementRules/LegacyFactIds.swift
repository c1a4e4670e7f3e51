internal import AppStoreModel
internal import JSON

/// Identifies a statement of one version 1 body about a purchase: when it was received, and the first bytes of the digest
/// of its content, which the record has as notificationUUID. A replay gives the same.
package typealias LegacyFactId = TransactionVersion

/// Ids of facts, by receipt: the latest, see ``FactsBounds``.
struct LegacyFactIds: Hashable, Sendable {
    private(set) var values: [LegacyFactId] = []

    init(_ values: [LegacyFactId] = []) { self.values = values }

    /// - Returns: whether it was not known.
    mutating func insert(_ id: LegacyFactId) -> Bool {
        var index = values.count
        while index > 0, id < values[index - 1] { index -= 1 }
        guard index == 0 || values[index - 1] != id else { return false }
        guard values.count >= FactsBounds.legacyIds else {
            values.insert(id, at: index)
            return true
        }
        guard index > 0 else { return false }
        values.insert(id, at: index)
        values.removeFirst()
        return true
    }

    func contains(_ id: LegacyFactId) -> Bool { values.contains(id) }

    /// Whether the fact is one of these, or older than all of so many that no older one is kept: what was decided of those
    /// was decided after its receipt.
    func covers(_ id: LegacyFactId) -> Bool {
        if values.contains(id) { return true }
        guard values.count >= FactsBounds.legacyIds, let oldest = values.first else { return false }
        return id < oldest
    }

    mutating func removeAll(receivedUpTo moment: AppStoreInstant) {
        values.removeAll { $0.signedDate <= moment }
    }

    /// Writes pairs of the moment of receipt and the digest's first bytes; nothing for none.
    func write(as name: StaticString, to object: inout JSONWriter) {
        guard !values.isEmpty else { return }
        object.array(name) { array in
            for id in values {
                array.array {
                    $0.integer(id.signedDate.millisecondsSince1970)
                    $0.integer(Int64(bitPattern: id.tieBreak))
                }
            }
        }
    }

    /// Reads what ``write(as:to:)`` wrote; pairs of another form are left out.
    static func read(_ name: StaticString, _ fields: inout FieldReader) -> [LegacyFactId] {
        (fields.element(name)?.elements ?? []).compactMap { pair in
            let values = pair.elements
            guard values.count == 2, let tieBreak = values[1].integer,
                let date = values[0].integer.flatMap({ AppStoreInstant(millisecondsSince1970: $0) })
            else { return nil }
            return LegacyFactId(signedDate: date, isSigned: false, tieBreak: UInt64(bitPattern: tieBreak))
        }
    }
}

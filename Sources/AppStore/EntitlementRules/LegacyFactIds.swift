internal import AppStoreModel
internal import JSON

/// The identity of a version 1 statement about a purchase: the time of receipt and the first bytes of the content
/// digest, which is the record's notificationUUID. A replay produces the same ID.
package typealias LegacyFactId = TransactionVersion

/// IDs of facts, sorted by time of receipt. Only the latest are stored. See ``FactsBounds``.
struct LegacyFactIds: Hashable, Sendable {
    private(set) var values: [LegacyFactId] = []

    init(_ values: [LegacyFactId] = []) { self.values = values }

    /// Inserts an ID.
    ///
    /// - Returns: whether the ID was added.
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

    /// Returns whether the list contains the ID, or is full and all of its IDs are newer. In the latter case, the ID
    /// may have been dropped, so its fact is considered settled.
    func covers(_ id: LegacyFactId) -> Bool {
        if values.contains(id) { return true }
        guard values.count >= FactsBounds.legacyIds, let oldest = values.first else { return false }
        return id < oldest
    }

    mutating func removeAll(receivedUpTo moment: AppStoreInstant) {
        values.removeAll { $0.signedDate <= moment }
    }

    /// Writes each time of receipt with the first bytes of the digest, or nothing if there are no IDs.
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

    /// Reads the output of ``write(as:to:)``, ignoring malformed pairs.
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

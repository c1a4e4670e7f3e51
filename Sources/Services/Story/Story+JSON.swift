internal import AppStoreModel
internal import EntitlementRules
package import JSON

extension Story {
    /// The placeholder for personal data in masked output.
    package static let mask = "…"

    /// Returns the story as a JSON object.
    ///
    /// - Parameter reveals: whether to include personal data.
    package func json(reveals: Bool) -> JSONObject {
        [
            StoryName.id: .string(identifier.text), StoryName.kinds: .array(kinds.map { .string($0.rawValue) }),
            StoryName.environment: .string(environment.rawValue), StoryName.found: .bool(isFound),
            StoryName.complete: .bool(isComplete), StoryName.masked: .bool(!reveals),
            StoryName.purchases: .array(purchases.map { .object($0.json) }),
            StoryName.timeline: .array(entries.map { .object($0.json(reveals: reveals)) }),
            StoryName.searched: .array(searched.map { .object($0.json) }),
            StoryName.gaps: .array(gaps.map { .object($0.json) }),
        ]
    }
}

extension Story.Purchase {
    var json: JSONObject {
        [
            StoryName.bundleId: .string(bundleId.rawValue),
            StoryName.originalTransactionId: .string(originalTransactionId.rawValue),
            StoryName.now: .array(standings.map { .object($0.json) }),
            StoryName.nextChange: nextChange.map { .string($0.description) } ?? .null,
        ]
    }
}

extension StoryEntry {
    package func json(reveals: Bool) -> JSONObject {
        var object: JSONObject = [
            StoryName.at: .string(at.description), StoryName.kind: .string(kind.rawValue),
            StoryName.title: .string(title), StoryName.purchase: purchase.map { .string($0) } ?? .null,
        ]
        for field in fields {
            object[field.name] = field.isPersonal && !reveals ? .string(Story.mask) : field.value
        }
        return object
    }
}

extension Story.Extent {
    var json: JSONObject {
        [
            StoryName.topic: .string(topic), StoryName.partitions: .array(partitions.map { .integer(Int64($0)) }),
            StoryName.partitionCount: .integer(Int64(partitionCount)),
            "offsets": .array(offsets.map { .string($0) }), StoryName.records: .integer(records),
            StoryName.notSearched: notSearched.map { .string($0) } ?? .null,
        ]
    }
}

extension Story.Gap {
    var json: JSONObject { [StoryName.what: .string(what), StoryName.fix: .string(fix)] }
}

internal import AppStoreModel
internal import EntitlementRules
package import JSON

/// Creates events from changes found by replaying the rules.
extension StoryEntry {
    init(_ change: StoryChange, of purchase: String) {
        var fields: [StoryField] = []
        let decisive = change.after.first
        fields.add(StoryName.rule, decisive?.rule.rawValue)
        fields.add(StoryName.explanation, decisive?.explanation)
        fields.append(StoryField(StoryName.cause, .object(change.cause.json)))
        if change.cause == .time, let origin = change.origin {
            fields.append(StoryField(StoryName.facts, .object(origin.json)))
        }
        fields.append(StoryField(StoryName.before, .array(change.before.map { .object($0.json) })))
        fields.append(StoryField(StoryName.after, .array(change.after.map { .object($0.json) })))
        var uuid: String?
        if case .notification(let named, _, _) = change.cause { uuid = named }
        let title = change.after.isEmpty ? "no state" : change.after.map(\.line).joined(separator: "; ")
        self.init(
            at: change.at, .state, title, purchase: purchase, notificationUUID: uuid, fields: fields)
    }
}

extension StoryCause {
    package var json: JSONObject {
        switch self {
        case .notification(let uuid, let type, let position):
            [
                StoryName.kind: "notification", StoryName.notificationType: .string(type),
                StoryName.notificationUUID: uuid.map { .string($0) } ?? .null, StoryName.position: .string(position),
            ]
        case .publication(let position): [StoryName.kind: "published_state", StoryName.position: .string(position)]
        case .erasure(let position): [StoryName.kind: "erasure", StoryName.position: .string(position)]
        case .time: [StoryName.kind: "time"]
        }
    }

    /// A short description of the cause.
    package var text: String {
        switch self {
        case .notification(let uuid, let type, let position):
            "\(type) \(uuid ?? "without a notificationUUID") at \(position)"
        case .publication(let position):
            "facts of the published state at \(position), not found in any of the searched notifications"
        case .erasure(let position): "the erasure at \(position)"
        case .time: "time passed; no notification"
        }
    }
}

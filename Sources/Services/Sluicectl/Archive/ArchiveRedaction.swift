internal import JSON

/// Redacts data that may be personal: every string and number, except those in the members listed here.
enum ArchiveRedaction {
    private static let shown: Set<String> = [
        OutputName.topic, OutputName.partition, OutputName.offset, OutputName.kind, "notificationType", "subtype",
        "version", "environment", "bundleId", "appAppleId", "bundleVersion", "productId", "type", "status",
        "transactionReason", "inAppOwnershipType", "signedDate", "formatVersion", "answerStatus", "outcome", "trust",
        "ce_specversion", "ce_type", "ce_source", "ce_time", "content-type", "ce_environment", "ce_bundleid",
        "ce_receivedtime", "ce_trust", "ce_origin", "sluice.quarantine.reason", "sluice.quarantine.receivedtime",
        "sluice.quarantine.environment", "sluice.quarantine.bundleid", "sluice.quarantine.source",
        "sluice.replay.reason",
    ]

    static func redacted(_ object: JSONObject) -> JSONObject {
        var result = JSONObject()
        for member in object.members { result[member.name] = redacted(member.value, of: member.name) }
        return result
    }

    private static func redacted(_ value: JSONValue, of name: String) -> JSONValue {
        switch value {
        case .object(let object): .object(redacted(object))
        case .array(let elements): .array(elements.map { redacted($0, of: name) })
        case .null, .bool: value
        case .string, .number: shown.contains(name) ? value : .string("…")
        }
    }
}

internal import AppStoreModel
internal import Cryptography
internal import JSON
internal import Kafka
internal import KeyedState
internal import Primitives
internal import Records

/// Creates messages for `webhooks.content=state` from records in the entitlement topics.
extension MessageReading {
    /// The member that contains the facts behind a state, which are internal and not sent to receivers.
    private static let internalMember = "facts"
    private static let erased = "purchase.erased"
    private static let updated = "purchase.updated"

    func state(_ record: KafkaRecord, _ environment: AppStoreEnvironment) throws(WebhookMessageError) -> WebhookMessage
    {
        guard let value = record.value else { return try erasure(record, environment) }
        guard let state = try? JSONDocument.object(value).root,
            let bundleId = state["bundleId"]?.string.map({ BundleId($0) }) ?? record.keyParts?.bundleId
        else { throw .unusable(WebhooksReason.unreadable) }
        let type = Self.type(of: state)
        // A state without a version was written by an older release of Sluice; every state with a version is newer.
        let version = state["version"]?.string ?? WebhookVersion.text(erasedAt: 0)
        var message = finish(
            record, id: WebhookID(environment, key: record.key ?? [], version: version, value: value), type: type,
            bundleId: bundleId,
            body: Self.body(type: type, timestamp: record.timestampText) { data in
                for member in state.members where member.name != Self.internalMember {
                    data.name(of: member.name)
                    data.text(member.value.bytes)
                }
                if state["version"] == nil { data.set("version", version) }
            })
        message.content = StateContent(version: version, digest: Self.content(of: state))
        return message
    }

    /// Returns the digest of everything sent to receivers except the version and the evaluation time.
    private static func content(of state: JSONElement) -> SHA256Digest {
        var digest = SHA256()
        for member in state.members where ![internalMember, "version", "asOf"].contains(member.name) {
            let bytes = Array(member.value.bytes)
            digest.update(Array("\(member.name) \(bytes.count) ".utf8))
            digest.update(bytes)
        }
        return digest.finish()
    }

    private func erasure(
        _ record: KafkaRecord, _ environment: AppStoreEnvironment
    ) throws(WebhookMessageError) -> WebhookMessage {
        guard let (bundleId, subject) = record.keyParts else { throw .unusable(WebhooksReason.keyMissing) }
        // Skip the tombstone of an expired row, because the row was already reported as erased.
        guard record.header(StateHeader.expired) == nil else { throw .unwanted(WebhooksReason.expired) }
        let moment =
            record.header(StateHeader.moment)?.value.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
            ?? record.timestampMilliseconds ?? 0
        let version = WebhookVersion.text(erasedAt: moment)
        return finish(
            record, id: WebhookID(environment, key: record.key ?? [], version: version, value: nil),
            type: Self.erased, bundleId: bundleId,
            body: Self.body(type: Self.erased, timestamp: RFC3339.text(milliseconds: moment)) {
                $0.set("version", version)
                $0.set("environment", environment.rawValue)
                $0.set("bundleId", bundleId.rawValue)
                $0.set("originalTransactionId", subject)
            })
    }

    /// Returns `purchase.` followed by the grants' state in lowercase, or `purchase.updated` if there are no grants or
    /// their states differ.
    private static func type(of state: JSONElement) -> String {
        let rows = (state["grants"]?.elements ?? []) + (state["inactive"]?.elements ?? [])
        let states = Set(rows.map { $0["state"]?.string })
        guard states.count == 1, let name = states.first??.lowercased(), !name.isEmpty,
            name.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") })
        else { return updated }
        return "purchase.\(name)"
    }
}

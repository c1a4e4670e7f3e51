internal import AppStoreModel
internal import JSON
internal import Kafka
internal import Records

/// Creates messages for `webhooks.content=notification` and `signed` from records in the notification topics.
extension MessageReading {
    private struct Parts {
        let record: NotificationRecord
        let type: String
        let bundleId: BundleId
    }

    private func parts(_ record: KafkaRecord) throws(WebhookMessageError) -> Parts {
        guard let notification = try? NotificationRecord(record),
            let type = record.text(.type), !type.isEmpty,
            let bundleId = notification.bundleId ?? record.keyParts?.bundleId
        else { throw .unusable(WebhooksReason.unreadable) }
        return Parts(record: notification, type: type, bundleId: bundleId)
    }

    func notification(
        _ record: KafkaRecord, _ environment: AppStoreEnvironment
    ) throws(WebhookMessageError) -> WebhookMessage {
        let parts = try parts(record)
        guard let uuid = parts.record.notificationUUID?.rawValue,
            let signedDate = record.text(.time).flatMap({ AppStoreInstant(rfc3339: $0) })
        else { throw .unusable(WebhooksReason.unreadable) }
        return finish(
            record, id: WebhookID(.notification, environment, notificationUUID: uuid), type: parts.type,
            bundleId: parts.bundleId,
            body: Self.body(type: parts.type, timestamp: signedDate.description) { data in
                data.set(
                    "version",
                    WebhookVersion.text(signedDate: signedDate.millisecondsSince1970, notificationUUID: uuid))
                data.set("environment", environment.rawValue)
                data.set("bundleId", parts.bundleId.rawValue)
                data.set("originalTransactionId", parts.record.originalTransactionId?.rawValue)
                data.set("notificationUUID", uuid)
                data.set("trust", parts.record.trust?.rawValue)
                data.set("origin", parts.record.origin?.rawValue)
                // Copy Apple's original text.
                for member in parts.record.value.members where Self.applesMembers.contains(member.name) {
                    data.name(of: member.name)
                    data.text(member.value.bytes)
                }
            })
    }

    private static let applesMembers: Set<String> = ["notification", "transaction", "renewalInfo", "appTransaction"]

    /// Returns a message with the body that Apple posts: `{"signedPayload":"…"}`.
    func signed(
        _ record: KafkaRecord, _ environment: AppStoreEnvironment
    ) throws(WebhookMessageError) -> WebhookMessage {
        let parts = try parts(record)
        guard let uuid = parts.record.notificationUUID?.rawValue else { throw .unusable(WebhooksReason.unreadable) }
        let jws: [UInt8]
        do throws(RebuildError) {
            jws = try parts.record.rebuild { certificates.segment($0) }
        } catch {
            switch error {
            // Version 1 bodies contain the app's password, which no record contains.
            case .unsigned: throw .unwanted(WebhooksReason.unsigned)
            case .malformedProof: throw .unusable(WebhooksReason.malformedProof)
            case .unknownHeader(let header): throw .notYet(header)
            }
        }
        return finish(
            record, id: WebhookID(.signed, environment, notificationUUID: uuid), type: parts.type,
            bundleId: parts.bundleId, body: Array(#"{"signedPayload":""#.utf8) + jws + Array(#""}"#.utf8))
    }
}

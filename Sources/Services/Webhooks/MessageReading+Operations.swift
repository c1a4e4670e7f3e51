internal import AppStoreModel
internal import JSON
internal import Kafka
internal import Records

/// Creates messages for `webhooks.content=operations` from records in the operator event topic.
extension MessageReading {
    /// Returns a message with the whole event as its data. Types and members of later versions are passed through.
    func operatorEvent(_ record: KafkaRecord) throws(WebhookMessageError) -> WebhookMessage {
        guard let value = record.value, let event = try? JSONDocument.object(value).root,
            let id = event["id"]?.string, !id.isEmpty, let type = event["type"]?.string, !type.isEmpty,
            let time = event["time"]?.string
        else { throw .unusable(WebhooksReason.unreadable) }
        return finish(
            record, id: WebhookID(operatorEvent: id), type: type,
            bundleId: event["data"]?["bundleId"]?.string.map { BundleId($0) },
            body: Self.body(type: type, timestamp: time) { data in
                for member in event.members {
                    data.name(of: member.name)
                    data.text(member.value.bytes)
                }
            })
    }
}

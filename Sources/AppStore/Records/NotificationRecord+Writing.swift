public import AppStoreModel
public import KafkaModel

extension KafkaProducerRecord {
    /// Creates the record for a notification.
    ///
    /// - Parameter traceParent: the request's W3C trace context, already validated by the caller.
    public init(
        _ identity: RecordIdentity, to topic: KafkaTopic, content: RecordContent, receivedAt: AppStoreInstant,
        trust: RecordTrust = .signed, origin: RecordOrigin = .live, traceParent: String? = nil
    ) {
        let type = identity.notificationType.rawValue
        let environment = identity.environment.rawValue
        let bundleId = identity.bundleId.rawValue
        var headers: [KafkaHeader] = []
        headers.reserveCapacity(13)
        headers.append(KafkaHeader(.specVersion, "1.0"))
        headers.append(KafkaHeader(.id, identity.notificationUUID.rawValue))
        headers.append(
            KafkaHeader(.type, "\(Self.typePrefix)\(type)\(identity.subtype.map { ".\($0.rawValue)" } ?? "")"))
        headers.append(KafkaHeader(.source, "/appstore/\(environment)/\(bundleId)"))
        if let subject = identity.originalTransactionId {
            headers.append(KafkaHeader(.subject, subject.rawValue))
        }
        headers.append(KafkaHeader(key: RecordHeaderName.time.rawValue, value: identity.signedDate.rfc3339))
        headers.append(KafkaHeader(.contentType, "application/json"))
        headers.append(KafkaHeader(.environment, environment))
        headers.append(KafkaHeader(.bundleId, bundleId))
        headers.append(KafkaHeader(key: RecordHeaderName.receivedTime.rawValue, value: receivedAt.rfc3339))
        headers.append(KafkaHeader(.trust, trust.rawValue))
        headers.append(KafkaHeader(.origin, origin.rawValue))
        if let traceParent { headers.append(KafkaHeader(.traceParent, traceParent)) }
        self.init(topic: topic, key: Array(identity.key.utf8), value: content.value, headers: headers)
    }

    static let typePrefix = "com.apple.appstore."
}

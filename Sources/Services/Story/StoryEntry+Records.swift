internal import AppStoreModel
internal import EntitlementRules
internal import JSON
internal import KafkaModel
internal import KeyedState
internal import PipelineRuntime
internal import Records

/// Creates events from single records.
extension StoryEntry {
    /// - Parameter at: the time of the event: either the time of receipt or the time when Apple signed the
    ///   notification.
    init(_ notification: StoryNotification, _ reading: StoryReading, at: AppStoreInstant) {
        let parsed = notification.parsed
        let transaction = parsed?.transaction
        var fields: [StoryField] = []
        fields.add(StoryName.notificationUUID, notification.uuid)
        fields.add(StoryName.signedDate, notification.signedAt)
        fields.add(StoryName.receivedTime, notification.receivedAt)
        fields.add(StoryName.publishedTime, notification.publishedAt)
        if let signed = notification.signedAt {
            fields.add(StoryName.delaySeconds, signed.milliseconds(to: notification.knownAt) / 1000)
        }
        fields.add(StoryName.trust, notification.record.text(.trust))
        fields.add(StoryName.origin, notification.record.text(.origin))
        fields.add(StoryName.position, notification.position)
        fields.add(StoryName.transactionId, transaction?.transactionId?.rawValue)
        fields.add(StoryName.productId, (transaction?.productId ?? parsed?.renewalInfo?.productId)?.rawValue)
        fields.add(StoryName.expiresDate, transaction?.expiresDate)
        fields.add(StoryName.appAccountToken, transaction?.appAccountToken?.rawValue, isPersonal: true)
        fields.add(StoryName.appTransactionId, transaction?.appTransactionId?.rawValue, isPersonal: true)
        fields.add(StoryName.webOrderLineItemId, transaction?.webOrderLineItemId?.rawValue, isPersonal: true)
        fields.add(StoryName.effect, reading.text)
        self.init(
            at: at, .notification, notification.type + (notification.isReplay ? " (replayed)" : ""),
            purchase: notification.record.keyText, notificationUUID: notification.uuid, fields: fields)
    }

    init(deadLetter record: KafkaRecord) {
        func text(_ name: String) -> String? { record.header(name)?.text }
        var fields: [StoryField] = []
        fields.add(StoryName.group, text(DeadLetterHeader.group))
        fields.add(StoryName.reason, text(DeadLetterHeader.reason))
        fields.add(StoryName.message, text(DeadLetterHeader.exceptionMessage))
        fields.add(StoryName.attempts, text(DeadLetterHeader.attempts).flatMap { Int64($0) })
        fields.add(StoryName.position, StoryNotification.position(record))
        if let topic = text(DeadLetterHeader.topic) {
            let place = "\(text(DeadLetterHeader.partition) ?? "?")@\(text(DeadLetterHeader.offset) ?? "?")"
            fields.add(StoryName.input, "\(topic)/\(place)")
        }
        let uuid = record.text(.id)?.lowercased()
        fields.add(StoryName.notificationUUID, uuid)
        self.init(
            at: record.time, .deadLettered,
            "dead-lettered by \(text(DeadLetterHeader.group) ?? "?"): \(text(DeadLetterHeader.reason) ?? "?")",
            purchase: record.keyText, notificationUUID: uuid, fields: fields)
    }

    init(quarantined record: KafkaRecord) {
        let kept = QuarantineRecord(key: record.key, value: record.value, headers: record.headers)
        var fields: [StoryField] = []
        fields.add(StoryName.reason, kept.reason)
        fields.add(StoryName.detail, kept.detail)
        fields.add(StoryName.position, StoryNotification.position(record))
        fields.add(StoryName.bundleId, kept.bundleId?.rawValue)
        fields.add(StoryName.environment, kept.environment?.rawValue)
        let uuid = kept.notificationUUID?.rawValue.lowercased()
        fields.add(StoryName.notificationUUID, uuid)
        fields.add(StoryName.bytes, Int64(kept.receivedBytes.count))
        self.init(
            at: kept.receivedAt ?? record.time, .quarantined, "quarantined: \(kept.reason)", notificationUUID: uuid,
            fields: fields)
    }

    init(published record: KafkaRecord, groups: [StoryGroup]) {
        var fields: [StoryField] = []
        fields.add(StoryName.position, StoryNotification.position(record))
        let places = groups.compactMap { $0.status(of: record) }
        if !places.isEmpty { fields.append(StoryField(StoryName.groups, .array(places.map { .object($0) }))) }
        guard let value = record.value else {
            guard record.header(StateHeader.expired) == nil else {
                self.init(
                    at: record.time, .published, "state removed: its erasure has expired", purchase: record.keyText,
                    fields: fields)
                return
            }
            self.init(
                at: record.stateMoment, .erased, "erased: everything signed up to this moment",
                purchase: record.keyText, fields: fields)
            return
        }
        let answer = (try? JSONValue(json: value))?.object
        let active = (answer?[StoryName.active]?.array ?? []).compactMap(\.string)
        fields.append(StoryField(StoryName.active, .array(active.map { .string($0) })))
        self.init(
            at: record.time, .published,
            "state published: " + (active.isEmpty ? "nothing" : active.joined(separator: ", ")),
            purchase: record.keyText, fields: fields)
    }
}

extension StoryReading {
    fileprivate var text: String {
        switch self {
        case .facts: "facts merged"
        case .skipped(let code): "skipped: \(code)"
        case .deadLettered(let code, let detail): "unusable: \(code)" + (detail.map { " (\($0))" } ?? "")
        }
    }
}

extension KafkaRecord {
    fileprivate var keyText: String? { key.flatMap { String(validating: $0, as: UTF8.self) } }

    fileprivate var time: AppStoreInstant {
        timestampMilliseconds.map { AppStoreInstant(clampingMillisecondsSince1970: $0) } ?? .earliest
    }

    /// The time up to which a tombstone erases facts: the value of its moment header or, without one, the record's
    /// timestamp.
    var stateMoment: AppStoreInstant {
        header(StateHeader.moment)?.text.flatMap { Int64($0) }
            .map { AppStoreInstant(clampingMillisecondsSince1970: $0) } ?? time
    }
}

package import AppStoreModel
internal import EntitlementRules
internal import JSON
internal import KafkaModel
internal import KeyedState
internal import PipelineRuntime
internal import Records

/// Builds a story's events from its records.
package struct StoryBuilder: Sendable {
    package let model: StoryModel
    /// The time up to which changes caused by time alone are computed.
    package let now: AppStoreInstant
    /// Whether states are replayed in the order in which Apple signed the notifications, rather than the order of
    /// receipt.
    package let isBySignedDate: Bool
    package let groups: [StoryGroup]
    /// The position of each notification in the archive, keyed by its position in Kafka.
    package let archived: [String: String]
    /// Whether the story includes payloads.
    package let hasPayloads: Bool

    package init(
        model: StoryModel, now: AppStoreInstant, isBySignedDate: Bool = false, groups: [StoryGroup] = [],
        archived: [String: String] = [:], hasPayloads: Bool = false
    ) {
        self.model = model
        self.now = now
        self.isBySignedDate = isBySignedDate
        self.groups = groups
        self.archived = archived
        self.hasPayloads = hasPayloads
    }

    /// Adds purchases and events to a story.
    package func build(_ collector: StoryCollector, into story: inout Story) {
        let notifications = collector.notifications.map(StoryNotification.init)
        let readings = notifications.map { model.read($0.record, collector.environment) }
        var inputs: [String: [StoryInput]] = [:]
        for (notification, reading) in zip(notifications, readings) {
            guard case .facts(let facts) = reading else { continue }
            inputs[key(of: facts), default: []].append(input(notification, facts))
        }
        // A readable state replaces an unreadable one with the same key.
        var unreadable: Set<[UInt8]?> = []
        for record in collector.states {
            if let input = published(record, collector.environment) {
                inputs[key(of: input.facts), default: []].append(input)
                unreadable.remove(record.key)
            } else {
                unreadable.insert(record.key)
            }
        }
        if !unreadable.isEmpty { story.addGap(unreadable: unreadable.count, "published states") }
        let keys = Set(inputs.keys).union(collector.keys.map { String(decoding: $0, as: UTF8.self) })
        let wanted = collector.notificationUUID == nil ? keys : Set(inputs.keys).intersection(keys)
        for key in wanted.sorted() {
            guard let purchase = purchase(key, inputs[key] ?? []) else { continue }
            story.purchases.append(purchase)
        }
        story.add(timeline(zip(notifications, readings).map { entry(of: $0, $1) }, story.purchases))
        story.add(collector.deadLetters.map { StoryEntry(deadLetter: $0) })
        story.add(collector.quarantined.map { StoryEntry(quarantined: $0) })
        story.add(collector.states.map { StoryEntry(published: $0, groups: groups) })
        if let uuid = collector.notificationUUID {
            story.entries.removeAll { !$0.isOf(notification: uuid) }
        }
    }

    /// Returns the notifications, each followed by the changes that it caused, and then all other changes.
    private func timeline(_ notifications: [StoryEntry], _ purchases: [Story.Purchase]) -> [StoryEntry] {
        var caused: [String: [StoryEntry]] = [:]
        var others: [StoryEntry] = []
        for purchase in purchases {
            for change in purchase.changes {
                let entry = StoryEntry(change, of: purchase.key)
                if case .notification(_, _, let position) = change.cause {
                    caused[position, default: []].append(entry)
                } else {
                    others.append(entry)
                }
            }
        }
        return notifications.flatMap { entry in
            let position = entry.fields.first { $0.name == StoryName.position }?.value.string ?? ""
            return [entry] + (caused.removeValue(forKey: position) ?? [])
        } + others
    }

    private func key(of facts: PurchaseFacts) -> String {
        RecordKey.purchase(facts.bundleId, facts.originalTransactionId)
    }

    private func time(of record: KafkaRecord) -> AppStoreInstant {
        record.timestampMilliseconds.map { AppStoreInstant(clampingMillisecondsSince1970: $0) } ?? .earliest
    }

    private func moment(of notification: StoryNotification) -> AppStoreInstant {
        isBySignedDate ? notification.signedAt ?? notification.knownAt : notification.knownAt
    }

    private func input(_ notification: StoryNotification, _ facts: PurchaseFacts) -> StoryInput {
        StoryInput(
            at: moment(of: notification), facts: facts,
            cause: .notification(
                uuid: notification.uuid, type: notification.type, position: notification.position))
    }

    /// Returns the facts in a record from the entitlement topic, or nil if they cannot be read. A tombstone is an
    /// erasure: without it, the notifications that Kafka still has would restore the erased state.
    private func published(_ record: KafkaRecord, _ environment: AppStoreEnvironment) -> StoryInput? {
        let position = StoryNotification.position(record)
        if let value = record.value {
            guard let facts = try? PurchaseFacts(published: value) else { return nil }
            return StoryInput(at: time(of: record), facts: facts, cause: .publication(position: position))
        }
        guard let key = record.key,
            let (bundleId, subject) = RecordKey.parts(of: String(decoding: key, as: UTF8.self))
        else { return nil }
        var erased = PurchaseFacts(
            environment: environment, bundleId: bundleId, originalTransactionId: OriginalTransactionId(subject))
        // An expired row was erased at least this long before its tombstone was written.
        let isExpired = record.header(StateHeader.expired) != nil
        erased.erase(
            upTo: record.stateMoment.advanced(
                byMilliseconds: isExpired ? -PurchaseFacts.erasureDays * 86_400_000 : 0))
        return StoryInput(at: time(of: record), facts: erased, cause: .erasure(position: position))
    }

    private func purchase(_ key: String, _ inputs: [StoryInput]) -> Story.Purchase? {
        guard let (bundleId, subject) = RecordKey.parts(of: key) else { return nil }
        // Publications follow the notifications that led to them, even within the same millisecond.
        let ordered = inputs.enumerated().sorted { one, other in
            if one.element.at != other.element.at { return one.element.at < other.element.at }
            return one.offset < other.offset
        }.map(\.element)
        // A record that exists is known now, although its time is in the future if this machine's clock is behind.
        let known = Self.attributed(ordered).map {
            StoryInput(at: min($0.at, now), facts: $0.facts, cause: $0.cause)
        }
        let replay = StoryReplay(known, until: now, rules: model.rules)
        let current = replay.facts?.standings(at: now, rules: model.rules)
        return Story.Purchase(
            key: key, bundleId: bundleId, originalTransactionId: OriginalTransactionId(subject),
            standings: current?.standings ?? [], nextChange: current?.nextChange, changes: replay.changes,
            facts: replay.facts,
            transactions: Set(inputs.flatMap { $0.facts.orderedTransactions.map(\.transactionId) }))
    }

    /// The maximum difference, in milliseconds, between the clocks of the ingress and of sluice-entitlements.
    private static let clockTolerance: Int64 = 60_000

    /// Names the notification as the cause of a published state that precedes it but only repeats facts from
    /// notifications. The clock of sluice-entitlements may be behind.
    private static func attributed(_ ordered: [StoryInput]) -> [StoryInput] {
        var notifications = ordered.filter(\.isNotification)[...]
        var known: PurchaseFacts?
        var last: StoryInput?
        return ordered.map { input in
            guard case .publication = input.cause else { return input }
            let end = input.at.advanced(byMilliseconds: clockTolerance)
            while let next = notifications.first, next.at <= end {
                if known == nil { known = next.facts } else { known?.merge(next.facts) }
                last = next
                notifications = notifications.dropFirst()
            }
            guard var merged = known, let last, last.at > input.at, !merged.merge(input.facts).isChanged else {
                return input
            }
            return StoryInput(at: input.at, facts: input.facts, cause: last.cause)
        }
    }

    private func entry(of notification: StoryNotification, _ reading: StoryReading) -> StoryEntry {
        var entry = StoryEntry(notification, reading, at: moment(of: notification))
        let places = groups.compactMap { $0.status(of: notification.record) }
        if !places.isEmpty { entry.fields.append(StoryField(StoryName.groups, .array(places.map { .object($0) }))) }
        entry.fields.add(StoryName.archive, archived[notification.position])
        if hasPayloads, let value = notification.parsed?.value {
            entry.fields.append(StoryField(StoryName.payload, JSONValue(value), isPersonal: true))
        }
        return entry
    }
}

extension StoryGroup {
    /// Returns whether the group has handled a record, as JSON, or nil if the group has not committed any offset for
    /// the topic.
    func status(of record: KafkaRecord) -> JSONObject? {
        guard committed.keys.contains(where: { $0.topic == record.topic }) else { return nil }
        let next = committed[record.topicPartition]
        return [
            StoryName.group: .string(name),
            StoryName.status: .string(next.map { $0 > record.offset } ?? false ? "handled" : "not_yet"),
            StoryName.committedOffset: next.map { .integer($0.rawValue) } ?? .null,
        ]
    }
}

extension StoryEntry {
    /// Returns whether the event is about a notification or was caused by it.
    func isOf(notification uuid: String) -> Bool { notificationUUID == uuid }
}

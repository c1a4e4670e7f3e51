internal import AppStoreModel
internal import EntitlementRules
package import Kafka
internal import Records

/// Reads a story from Kafka: the records in the partitions of its record keys, and the progress of consumer groups.
package struct StoryReader {
    package let topics: StoryTopics
    package let search: StorySearch
    /// The consumer groups for which the story reports progress.
    package let groups: [String]
    /// The value of `refunds.round.gap`, in milliseconds.
    package let roundGap: Int64

    package init(_ topics: StoryTopics, _ search: StorySearch, groups: [String], roundGap: Int64) {
        self.topics = topics
        self.search = search
        self.groups = groups
        self.roundGap = roundGap
    }

    private var names: TopicNames { topics.names }
    private var environment: AppStoreEnvironment { topics.environment }

    /// The partitions that are read regardless of the record keys.
    private var unkeyed: [KafkaTopicPartition] {
        ([names.quarantine, names.erasures] + topics.deadLetters).flatMap { topics.partitions(of: $0) }
    }

    /// Reads the records of the story's purchases or notification, and the quarantined notifications that claim the
    /// identifier.
    ///
    /// - Returns: the story's records and all records in the erasures topic.
    package func records(
        of identifier: StoryIdentifier, keys: Set<[UInt8]>, notificationUUID: String?
    ) async throws -> (collector: StoryCollector, erasures: [KafkaRecord]) {
        var collector = StoryCollector(
            names, environment, keys: keys, notificationUUID: notificationUUID, identifier: identifier.indexedNames)
        var erasures: [KafkaRecord] = []
        let keyed = [names.notifications(environment), names.entitlements(environment)].flatMap {
            topics.partitions(of: $0, keys: keys)
        }
        try await search.run(keyed, filter: StoryFilter.keyed(keys, notificationUUID: notificationUUID)) { record in
            collector.take(record)
            return true
        }
        try await search.run(unkeyed) { record in
            if record.topic == names.erasures { erasures.append(record) } else { collector.take(record) }
            return true
        }
        collector.sort()
        return (collector, erasures)
    }

    /// Returns the progress of every group in the story's partitions.
    package func progress(
        of collector: StoryCollector, _ admin: KafkaAdmin, _ gaps: inout [Story.Gap]
    ) async -> [StoryGroup] {
        let places = Array(Set((collector.notifications + collector.states).map(\.topicPartition)))
        guard !places.isEmpty else { return [] }
        var result: [StoryGroup] = []
        var silent: [String] = []
        for name in groups {
            do throws(KafkaError) {
                let group = KafkaConsumerGroup(rawValue: name)
                let committed = try await admin.committedOffsets(of: group, partitions: places)
                guard !committed.isEmpty else {
                    silent.append(name)
                    continue
                }
                result.append(StoryGroup(name, committed: committed))
            } catch {
                gaps.append(
                    Story.Gap(
                        "committed offsets of \(name) were not read: \(error.message)",
                        fix: "Grant Describe on the group, or run the command again"))
            }
        }
        if !silent.isEmpty {
            gaps.append(
                Story.Gap(
                    "these groups have no committed offsets in the story's partitions: "
                        + silent.joined(separator: ", "),
                    fix: "Start the groups that have never run; otherwise, wait until they have read the partitions"))
        }
        return result
    }

    /// Adds the refund cases for the story's transactions.
    package func addRefunds(to story: inout Story, notificationUUID: String?) async throws {
        let keys = Self.refundKeys(of: story)
        let topic = names.refunds(environment)
        guard topics.exists(topic) else { return }
        if story.isFound, let gap = Self.unknownTransactions(of: story) { story.gaps.append(gap) }
        guard !keys.isEmpty else { return }
        var refunds = ReadRefunds(gap: roundGap)
        let filter = StoryFilter.keyed(keys, notificationUUID: nil)
        try await search.run(topics.partitions(of: topic, keys: keys), filter: filter) { record in
            if let key = record.key, keys.contains(key) { refunds.take(record) }
            return true
        }
        if refunds.unreadable > 0 { story.addGap(unreadable: refunds.unreadable, "records of refund cases") }
        let entries = refunds.cases.flatMap { StoryRefunds.entries($0) }
        story.add(entries.filter { notificationUUID == nil || $0.notificationUUID == notificationUUID })
    }

    /// Returns the record keys of the refund cases for the story's transactions.
    private static func refundKeys(of story: Story) -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        for purchase in story.purchases {
            for transaction in purchase.transactions {
                keys.insert(Array(RecordKey.transaction(purchase.bundleId, transaction).utf8))
            }
        }
        return keys
    }

    /// Returns a gap for purchases whose first transaction is in none of the searched records, or nil if there are
    /// none. Others may be missing too, because the published state contains only the latest ones.
    private static func unknownTransactions(of story: Story) -> Story.Gap? {
        let purchases = story.purchases.filter { purchase in
            // The first transaction of a purchase has the purchase's own id. A withdrawn consent has no transaction.
            purchase.facts?.isConsent != true
                && !purchase.transactions.contains(TransactionId(purchase.originalTransactionId.rawValue))
        }
        guard !purchases.isEmpty else { return nil }
        return Story.Gap(
            "refund cases of transactions that are in none of the searched records were not searched: "
                + purchases.map(\.key).joined(separator: ", "),
            fix: "Find them with: sluicectl refunds list --output json, or sluicectl refunds show TRANSACTIONID")
    }

    /// Returns the partitions of a keyed topic that can contain parts of the story. Without a record key, every
    /// partition can.
    private func partitions(of topic: KafkaTopic, _ keys: Set<[UInt8]>) -> [KafkaTopicPartition] {
        keys.isEmpty ? topics.partitions(of: topic) : topics.partitions(of: topic, keys: keys)
    }

    /// Adds the searched and the unsearched parts of the topics to the story.
    ///
    /// - Parameters:
    ///   - unresolved: partitions that may contain the identifier and cannot be read.
    ///   - hasArchive: whether archived records were read.
    package func account(
        for story: inout Story, _ collector: StoryCollector, unresolved: Set<KafkaTopicPartition> = [],
        hasArchive: Bool
    ) {
        story.searched = search.extents(keys: collector.keys)
        let unsearched = UnsearchedTopics(
            missing: topics.missing, hidden: topics.hidden, unreadable: Array(search.unreadable),
            usual: StoryTopics.usual(names, environment))
        story.gaps += unsearched.gaps
        // The index of sluice-reconciler contains no parts of a story.
        let index = names.reconciliation(environment).rawValue
        let isLimited = story.searched.contains { $0.notSearched != nil && $0.topic != index }
        if unsearched.areNeeded || isLimited { story.isComplete = false }
        let input = names.notifications(environment)
        let places = partitions(of: input, collector.keys)
        let others =
            partitions(of: names.entitlements(environment), collector.keys) + unkeyed
            + topics.partitions(of: names.refunds(environment), keys: Self.refundKeys(of: story))
        let unavailable = UnavailablePartitions(errors: topics.errors(of: places + others + unresolved)).gaps
        story.gaps += unavailable
        if !unavailable.isEmpty { story.isComplete = false }
        var lows: [KafkaPartition: KafkaOffset] = [:]
        for place in places { lows[place.partition] = topics.watermarks[place]?.low }
        if let gap = DeletedRecords(lows).gap(in: input, hasArchive: hasArchive) { story.gaps.append(gap) }
    }
}

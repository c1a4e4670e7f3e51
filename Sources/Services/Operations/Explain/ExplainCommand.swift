internal import AppStoreModel
internal import ArchiveFormat
internal import Configuration
internal import EntitlementRules
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records
internal import Story
internal import Time

/// `sluicectl explain`: everything that happened around one identifier.
struct ExplainCommand {
    let configuration: Configuration
    let entitlements: SluicectlParts.Entitlements
    let clocks: Clocks
    let timeout: Duration
    let reveals: ArchiveReveals

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }
    private var environment: AppStoreEnvironment { configuration[OperationsSettings.environment] }
    private var isRevealing: Bool { configuration[ExplainSettings.reveal] }
    private var now: AppStoreInstant { AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds()) }

    func run(_ id: String, _ console: Console) async throws -> ExitCode {
        guard let identifier = StoryIdentifier(id) else {
            throw StartupError(
                "\(PlainText.printable(id)) is no identifier", fix: "Give one of at most 256 bytes", exitCode: .usage)
        }
        if isRevealing { try reveals.requireAuthor() }
        let model = try entitlements.model(configuration)
        let brokers = try Brokers(configuration, timeout: timeout)
        let story = try await brokers.admin().closing { admin in
            let kafka = try brokers.readerConfiguration(isEmbedded: try await brokers.isEmbedded(admin))
            return try await read(identifier, model, admin, kafka, console)
        }
        if isRevealing { try await recordReveal(of: story) }
        try await print(story, model, console)
        return story.isFound ? .ok : .failure
    }

    // MARK: Reading

    private func read(
        _ identifier: StoryIdentifier, _ model: StoryModel, _ admin: KafkaAdmin, _ kafka: KafkaConfiguration,
        _ console: Console
    ) async throws -> Story {
        let topics = try await StoryTopics(names, environment, groups: groupNames, of: admin)
        var story = Story(identifier, environment)
        let archive = await StoryArchive.open(configuration, &story.gaps, console)
        defer { archive?.close() }
        let search = StorySearch(kafka, topics, limit: configuration[ExplainSettings.limit]) { console.complain($0) }
        let resolution = try await StoryResolver(
            configuration: configuration, clocks: clocks, topics: topics, search: search, archive: archive,
            console: console
        ).resolve(identifier)
        story.kinds = StoryIdentifier.Kind.allCases.filter(resolution.kinds.contains)
        story.gaps += resolution.gaps
        var collector = StoryCollector(
            names, environment, keys: resolution.keys, notificationUUID: resolution.notificationUUID)
        var decisions: [KafkaRecord] = []
        try await search.run(places(of: resolution, topics)) { record in
            if record.topic == names.erasures { decisions.append(record) } else { collector.take(record) }
            return true
        }
        try await archive?.collect(into: &collector, topics, &story.gaps)
        let archived = try await archive?.positions(of: collector.notifications) ?? [:]
        let groups = await groups(admin, collector, &story.gaps)
        StoryBuilder(
            model: model, now: now, isBySignedDate: configuration[ExplainSettings.isBySignedDate], groups: groups,
            archived: archived, hasPayloads: isRevealing
        ).build(collector, into: &story)
        story.add(try archive?.decisions(decisions, resolution.keys, environment) ?? [])
        story.add(try await refunds(of: story, collector, topics, search))
        if story.isFound {
            let webhooks = StoryWebhooks(configuration: configuration, environment: environment)
            story.add(await webhooks.entries(collector, timeout: timeout, &story.gaps))
        }
        story.searched = search.extents(isKeyed: !resolution.keys.isEmpty)
        story.gaps += topics.missing.map {
            Story.Gap(
                "topic \($0) was not searched: it does not exist, or is denied to this user",
                fix: "Create it with sluicectl topics apply, or allow Describe and Read")
        }
        story.gaps += Self.deleted(topics, collector, hasArchive: archive != nil)
        if !configuration[ExplainSettings.isBySignedDate] { story.gaps += Self.late(story) }
        return story
    }

    /// The partitions that can contain records of the resolved purchases or notification.
    private func places(of resolution: StoryResolution, _ topics: StoryTopics) -> [KafkaTopicPartition] {
        let keyed = [names.notifications(environment), names.entitlements(environment)].flatMap {
            topics.partitions(of: $0, keys: resolution.keys)
        }
        return keyed + ([names.quarantine, names.erasures] + topics.deadLetters).flatMap { topics.partitions(of: $0) }
    }

    /// The groups of Sluice's executables, and those of the command line.
    private var groupNames: [String] {
        OperationsSettings.clusterGroups.map { configuration[$0.setting] }
            + (configuration[OperationsSettings.groups] ?? [])
    }

    /// Returns the progress of every group in the partitions of the story.
    private func groups(
        _ admin: KafkaAdmin, _ collector: StoryCollector, _ gaps: inout [Story.Gap]
    ) async -> [StoryGroup] {
        let places = Array(Set((collector.notifications + collector.states).map(\.topicPartition)))
        guard !places.isEmpty else { return [] }
        var groups: [StoryGroup] = []
        var silent: [String] = []
        for name in groupNames {
            do throws(KafkaError) {
                let group = KafkaConsumerGroup(rawValue: name)
                let committed = try await admin.committedOffsets(of: group, partitions: places)
                guard !committed.isEmpty else {
                    silent.append(name)
                    continue
                }
                groups.append(StoryGroup(name, committed: committed))
            } catch {
                gaps.append(
                    Story.Gap(
                        "committed offsets of \(name) were not read: \(error.message)",
                        fix: "Allow Describe on the group, or run it again"))
            }
        }
        if !silent.isEmpty {
            gaps.append(
                Story.Gap(
                    "no committed offsets in these partitions: \(silent.joined(separator: ", "))",
                    fix: "These groups do not run, or have not read the partitions yet"))
        }
        return groups
    }

    /// Reads the refund cases of the transactions of the story.
    private func refunds(
        of story: Story, _ collector: StoryCollector, _ topics: StoryTopics, _ search: StorySearch
    ) async throws -> [StoryEntry] {
        var keys: Set<[UInt8]> = []
        for purchase in story.purchases {
            for transaction in purchase.facts?.orderedTransactions ?? [] {
                keys.insert(Array(RecordKey.transaction(purchase.bundleId, transaction.transactionId).utf8))
            }
        }
        let topic = names.refunds(environment)
        guard topics.exists(topic), !keys.isEmpty else { return [] }
        var refunds = ReadRefunds(gap: configuration[OperationsSettings.roundGap].clampedMilliseconds)
        try await search.run(topics.partitions(of: topic, keys: keys)) { record in
            if let key = record.key, keys.contains(key) { refunds.take(record) }
            return true
        }
        let entries = refunds.cases.flatMap { StoryRefunds.entries($0) }
        guard let uuid = collector.notificationUUID else { return entries }
        return entries.filter { $0.notificationUUID == uuid }
    }

    /// Describes the records of the story's partitions that Kafka has deleted.
    private static func deleted(
        _ topics: StoryTopics, _ collector: StoryCollector, hasArchive: Bool
    ) -> [Story.Gap] {
        let input = topics.names.notifications(topics.environment)
        let places = topics.partitions(of: input, keys: collector.keys)
        return places.compactMap { place in
            guard let low = topics.watermarks[place]?.low, low.rawValue > 0 else { return nil }
            return Story.Gap(
                "Kafka has deleted \(place.topic)/\(place.partition) before offset \(low)"
                    + (hasArchive ? "; archived records were added" : ""),
                fix: hasArchive ? "Look for further ones with: sluicectl archive find" : "Configure the archive")
        }
    }

    /// Says that many notifications arrived late, so that the states are not those that Apple's dates suggest.
    private static func late(_ story: Story) -> [Story.Gap] {
        let delays = story.entries.filter { $0.kind == .notification }.compactMap { entry in
            entry.fields.first { $0.name == StoryName.delaySeconds }?.value.integer
        }
        let late = delays.count { $0 > 86_400 }
        guard late > 0 else { return [] }
        return [
            Story.Gap(
                "\(late) of \(delays.count) notifications arrived more than a day after Apple signed them, and the states "
                    + "are those of this installation at the time",
                fix: "Replay them at Apple's times with --as-signed")
        ]
    }

    // MARK: Output

    /// Publishes who sees personal data, before anything is printed.
    private func recordReveal(of story: Story) async throws {
        let positions = story.entries.compactMap { entry in
            entry.kind == .notification ? entry.fields.first { $0.name == StoryName.position }?.value.string : nil
        }
        try await reveals.record(.show, scope: "sluicectl explain", marks: "", positions: positions)
    }

    private func print(_ given: Story, _ model: StoryModel, _ console: Console) async throws {
        var story = given
        let at = configuration[ExplainSettings.at]
        let why = configuration[ExplainSettings.why]
        let answer =
            at != nil || why != nil
            ? StoryAnswer(story, at: at ?? now, entitlement: why, rules: model.rules) : nil
        story.limit(from: configuration[ExplainSettings.from], to: configuration[ExplainSettings.to])
        switch configuration[OperationsSettings.output] {
        case .json:
            var object = story.json(reveals: isRevealing)
            object[StoryName.answer] = answer.map { .object($0.json) }
            await console.write(line: JSONValue.object(object).json)
        case .text: await console.write(StoryText(reveals: isRevealing).text(story, answer))
        }
    }
}

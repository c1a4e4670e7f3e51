internal import AppStoreModel
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import EntitlementRules
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records
internal import Story

/// `sluicectl explain`: shows everything known about one identifier.
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
                "\(PlainText.printable(id)) is not an identifier", fix: "Use an identifier of at most 256 bytes",
                exitCode: .usage)
        }
        if let event = identifier.operatorEventId { throw operatorEvent(event) }
        // States are replayed up to now, so a later state would be the current one, even if it will have ended.
        if let at = configuration[ExplainSettings.at], at > now {
            throw StartupError(
                "the time is in the future", setting: "--at",
                fix: "Use a time up to now; without --at, the text shows the next change of each purchase",
                exitCode: .usage)
        }
        if isRevealing { try reveals.requireAuthor() }
        let model = try entitlements.model(configuration)
        let story = try await Brokers.connected(configuration, timeout) { admin, kafka in
            return try await read(identifier, model, admin, kafka, console)
        }
        if isRevealing { try await recordReveal(of: story) }
        try await print(story, model, console)
        guard story.isComplete else { return .storyIncomplete }
        return story.isFound ? .ok : .failure
    }

    /// Returns the error for the webhook-id of an operator event.
    private func operatorEvent(_ id: String) -> StartupError {
        let header = ShellWord.quoted(PlainText.printable("ce_id=\(id)"))
        return StartupError(
            "this is the webhook-id of an operator event, and operator events are not part of a story",
            fix: "Print the event with: sluicectl tap --topic \(names.operations) --no-follow --header \(header), and "
                + "the attempts to deliver it with: sluicectl webhooks attempts",
            exitCode: .usage)
    }

    // MARK: Reading

    private func read(
        _ identifier: StoryIdentifier, _ model: StoryModel, _ admin: KafkaAdmin, _ kafka: KafkaConfiguration,
        _ console: Console
    ) async throws -> Story {
        let topics = try await StoryTopics(names, environment, hasMore: true, of: admin)
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
        story.isComplete = resolution.isComplete
        let reader = StoryReader(
            topics, search, groups: groupNames,
            roundGap: configuration[OperationsSettings.roundGap].clampedMilliseconds)
        var (collector, erasures) = try await reader.records(
            of: identifier, keys: resolution.keys, notificationUUID: resolution.notificationUUID)
        try await archive?.collect(into: &collector, topics, &story.gaps)
        StoryBuilder(
            model: model, now: now, isBySignedDate: configuration[ExplainSettings.isBySignedDate],
            groups: await reader.progress(of: collector, admin, &story.gaps),
            archived: try await archive?.positions(of: collector.notifications) ?? [:], hasPayloads: isRevealing
        ).build(collector, into: &story)
        story.add(try archive?.decisions(erasures, resolution.keys, environment) ?? [])
        try await reader.addRefunds(to: &story, notificationUUID: resolution.notificationUUID)
        // A process of sluice-webhooks may know deliveries of records that Kafka no longer has.
        if !resolution.keys.isEmpty || resolution.notificationUUID != nil || story.kinds == [.webhookId] {
            let webhooks = StoryWebhooks(configuration: configuration, identifier: identifier, environment: environment)
            story.add(await webhooks.entries(collector, timeout: timeout, &story.gaps))
        }
        reader.account(
            for: &story, collector, unresolved: resolution.unavailable, hasArchive: archive?.isReadable ?? false)
        if !configuration[ExplainSettings.isBySignedDate] { story.gaps += Self.late(story) }
        return story
    }

    /// The consumer groups of Sluice's executables, and the groups named on the command line.
    private var groupNames: [String] {
        OperationsSettings.clusterGroups.map { configuration[$0.setting] }
            + (configuration[OperationsSettings.groups] ?? [])
    }

    /// Returns a note if notifications arrived more than a day after Apple signed them. The story shows the states at
    /// the times of receipt, not at Apple's dates.
    private static func late(_ story: Story) -> [Story.Gap] {
        let delays = story.entries.filter { $0.kind == .notification }.compactMap { entry in
            entry.fields.first { $0.name == StoryName.delaySeconds }?.value.integer
        }
        let late = delays.count { $0 > 86_400 }
        guard late > 0 else { return [] }
        return [
            Story.Gap(
                "\(late) of \(delays.count) notifications arrived more than a day after Apple signed them; the states "
                    + "shown are as of their receipt",
                fix: "Replay them as of Apple's signing times with --as-signed")
        ]
    }

    // MARK: Output

    /// Publishes a record of the access to personal data. Called before anything is printed.
    private func recordReveal(of story: Story) async throws {
        // The events of a refund case have the same position.
        var listed: Set<String> = []
        let positions = story.entries.filter { $0.kind == .notification || $0.fields.contains(where: \.isPersonal) }
            .compactMap { entry in entry.fields.first { $0.name == StoryName.position }?.value.string }
            .filter { listed.insert($0).inserted }
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
        var object = story.json(reveals: isRevealing)
        object[StoryName.answer] = answer.map { .object($0.json) }
        await console.write(
            configuration, text: StoryText(reveals: isRevealing).text(story, answer), json: object)
    }
}

extension ExitCode {
    /// The story may lack events, because a topic does not exist, access to it is denied, a partition, a state or a
    /// refund case cannot be read, or `--limit` omits records. The value is a public contract.
    static let storyIncomplete = ExitCode(rawValue: 3)
}

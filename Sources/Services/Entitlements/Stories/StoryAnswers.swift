internal import AppStoreModel
internal import AppStoreSettings
internal import Configuration
internal import HTTPServer
internal import JSON
internal import Kafka
internal import Primitives
internal import Records
internal import Story
internal import Telemetry

/// Reads stories (everything known about one identifier) from Kafka for the read API, one at a time.
final class StoryAnswers: Sendable {
    /// Maximum number of waiting requests.
    private static let maximumWaiting = 8
    /// Maximum number of records read from each topic.
    private static let maximumRecords = 2_000_000

    private let kafka: KafkaConfiguration
    private let topics: TopicNames
    private let model: StoryModel
    /// The value of `refunds.round.gap`, in milliseconds.
    private let roundGap: Int64
    private let groups: [String]
    private let clocks: Clocks
    private let log: RateLimitedLogger
    private let waiting = WaitingExchanges<StorySubject>(atMost: maximumWaiting)

    /// - Throws: a `ConfigurationError` if the products, apps or credentials are unusable.
    init(
        _ configuration: Configuration, kafka: KafkaConfiguration, topics: TopicNames, groups: [String],
        clocks: Clocks, log: RateLimitedLogger
    ) throws(ConfigurationError) {
        self.kafka = kafka
        self.topics = topics
        model = try EntitlementsStory.model(configuration)
        roundGap = configuration[AppStoreSettings.refundRoundGap].clampedMilliseconds
        self.groups = groups
        self.clocks = clocks
        self.log = log
    }

    /// - Returns: false if too many requests are waiting.
    func take(_ subject: StorySubject, _ exchange: Exchange) -> Bool { waiting.take(subject, exchange) }

    func run() async {
        for await next in waiting.all {
            let response: HTTPResponse
            do {
                let body = JSONValue.object(try await story(of: next.request).json(reveals: false)).json
                response = HTTPResponse(status: 200, reason: "ok", headers: [ReadAPI.revalidate], body: body)
            } catch {
                log.log(.error, key: "story", "a story cannot be read", [LogField(.error, "\(error)")])
                response = ReadAPI.problem(503, ReadAPIName.unavailable, "Kafka cannot be read at the moment")
            }
            next.exchange.respond(response)
        }
    }

    /// Reads the story of a subject.
    func story(of subject: StorySubject) async throws -> Story {
        try await KafkaAdmin(kafka).closing { admin in
            let query = subject.query
            let found = try await StoryTopics(topics, query.environment, hasMore: false, of: admin)
            let search = StorySearch(kafka, found, limit: Self.maximumRecords) { _ in }
            let reader = StoryReader(found, search, groups: groups, roundGap: roundGap)
            var story = Story(query.identifier, query.environment)
            story.kinds = subject.kinds
            let collector = try await reader.records(
                of: query.identifier, keys: subject.keys, notificationUUID: nil
            ).collector
            let progress = await reader.progress(of: collector, admin, &story.gaps)
            let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
            StoryBuilder(model: model, now: now, groups: progress).build(collector, into: &story)
            try await reader.addRefunds(to: &story, notificationUUID: nil)
            reader.account(for: &story, collector, hasArchive: false)
            story.gaps.append(
                Story.Gap(
                    "archive, webhooks and notifications without a record key were not searched",
                    fix: "Use: sluicectl explain"))
            story.limit(from: query.from, to: query.to)
            return story
        }
    }
}

internal import AppStoreModel
internal import Configuration
internal import EntitlementRules
internal import HTTPServer
internal import KeyedState
internal import Story

/// Serves `/v1/story`: the purchases for the identifier come from the database, and their records from Kafka.
extension ReadAPI {
    /// Maximum number of purchases in one story.
    static let maximumStoryPurchases = 100

    func tell(_ query: StoryQuery, _ exchange: Exchange) {
        guard let story else {
            return exchange.respond(
                Self.problem(
                    403, ReadAPIName.storiesAreOff, "set \(EntitlementsSettings.stories.key) to allow stories"))
        }
        let then = { @Sendable (result: Result<StorySubject, StateError>) in
            guard case .success(let subject) = result else {
                return exchange.respond(
                    Self.problem(503, ReadAPIName.unavailable, "the database cannot be read at the moment"))
            }
            guard !subject.keys.isEmpty else {
                return exchange.respond(
                    Self.problem(404, ReadAPIName.notFound, "no purchase has this identifier"))
            }
            guard subject.keys.count <= Self.maximumStoryPurchases else {
                return exchange.respond(
                    Self.problem(
                        422, ReadAPIName.tooManyPurchases, "more than \(Self.maximumStoryPurchases) purchases"))
            }
            if !story(subject, exchange) {
                exchange.respond(
                    Self.problem(503, ReadAPIName.busy, "too many story requests are waiting; retry later"))
            }
        }
        do throws(StateError) {
            try reader().read({ rows in try subject(of: query, rows) }, then: then)
        } catch {
            then(.failure(error))
        }
    }

    /// Returns the record keys for an identifier, found through the database's index.
    private func subject(of query: StoryQuery, _ rows: StateView<EntitlementsModel>) throws -> StorySubject {
        guard query.identifier.kinds != [.recordKey] else {
            return StorySubject(query: query, kinds: [.recordKey], keys: [Array(query.identifier.text.utf8)])
        }
        var kinds: [StoryIdentifier.Kind] = []
        var keys: Set<[UInt8]> = []
        for (kind, subject) in query.subjects {
            let found = try subject.entries.flatMap { entry in
                try rows.states(
                    under: entry, in: topics.state(query.environment), atMost: Self.maximumStoryPurchases + 1)
            }
            guard !found.isEmpty else { continue }
            kinds.append(kind)
            for purchase in found {
                keys.insert(EntitlementsModel.key(purchase.bundleId, purchase.originalTransactionId))
            }
        }
        return StorySubject(query: query, kinds: kinds, keys: keys)
    }
}

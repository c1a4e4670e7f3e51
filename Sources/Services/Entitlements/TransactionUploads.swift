internal import AppStoreModel
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import EntitlementRules
internal import HTTPClient
internal import HTTPServer
internal import KeyedState
internal import Records
internal import Telemetry
internal import Time

/// Verifies signed transactions that apps hand in, adds their facts to what is known, and answers with what follows.
final class TransactionUploads: Sendable {
    /// Each waits for Kafka most of its time.
    private static let concurrency = 16

    private let verifier: NotificationVerifier
    private let responders: HTTPClient
    private let state: KeyedState<EntitlementsModel>
    private let rules: ProductRules
    private let input: InputFreshness
    private let topics: TopicNames
    private let clocks: Clocks
    private let log: RateLimitedLogger
    private let waiting = WaitingExchanges<TransactionUpload>(atMost: 256)

    /// Nil where no app is configured.
    ///
    /// - Throws: a `ConfigurationError` for apps or roots that cannot be verified with.
    init?(
        _ configuration: Configuration, state: KeyedState<EntitlementsModel>, rules: ProductRules,
        input: InputFreshness, topics: TopicNames, clocks: Clocks, log: RateLimitedLogger
    ) throws(ConfigurationError) {
        guard try !AppStoreSettings.apps(configuration).isEmpty else { return nil }
        let responders = HTTPClient(try HTTPClient.Configuration(configuration))
        verifier = try AppStoreSettings.verifier(configuration, responders: responders)
        self.responders = responders
        self.state = state
        self.rules = rules
        self.input = input
        self.topics = topics
        self.clocks = clocks
        self.log = log
    }

    /// - Returns: false when too many wait.
    func take(_ upload: TransactionUpload, _ exchange: Exchange) -> Bool { waiting.take(upload, exchange) }

    /// Answers what is handed in, several at a time, and asks about the revocation of certificates.
    func run() async {
        let clocks = clocks
        await withTaskGroup { group in
            group.addTask { await self.verifier.runRevocationChecks(clock: clocks.wallMilliseconds) }
            var running = 0
            for await waiting in waiting.all {
                if running >= Self.concurrency { await group.next() } else { running += 1 }
                group.addTask { waiting.exchange.respond(await self.answer(waiting.request)) }
            }
            group.cancelAll()
        }
        responders.close()
    }

    private func answer(_ upload: TransactionUpload) async -> HTTPResponse {
        let verified: VerifiedTransaction
        do throws(AppStoreVerification.Refusal) {
            verified = try verifier.verify(
                signedTransaction: upload.signedTransaction, signedRenewalInfo: upload.signedRenewalInfo,
                at: clocks.wallMilliseconds())
        } catch {
            let message = "\(error.reason): \(error.detail)"
            return error.status == 503 || error.status == 429
                ? ReadAPI.problem(503, ReadAPIName.unavailable, message)
                : ReadAPI.problem(422, ReadAPIName.notVerified, message)
        }
        let facts: PurchaseFacts
        do throws(Refusal) {
            facts = try TransactionUpload.facts(of: verified)
        } catch {
            return ReadAPI.problem(422, ReadAPIName.notReadable, error.message)
        }
        do {
            let empty = PurchaseFacts(
                environment: facts.environment, bundleId: facts.bundleId,
                originalTransactionId: facts.originalTransactionId)
            let purchase = try await state.contribute(
                to: EntitlementsModel.key(facts.bundleId, facts.originalTransactionId),
                from: topics.input(facts.environment), orTo: empty
            ) { _ in facts }
            return answer(purchase.flatMap { $0.isErased ? nil : $0 }, of: facts)
        } catch {
            log.log(.error, key: "upload", "a transaction was not taken", [LogField(.error, "\(error)")])
            return ReadAPI.problem(503, ReadAPIName.unavailable, "not acknowledged; the same may be sent again")
        }
    }

    private func answer(_ purchase: PurchaseFacts?, of facts: PurchaseFacts) -> HTTPResponse {
        let finding = EntitlementsFinding(
            query: EntitlementsQuery(
                subject: .originalTransactionId(facts.originalTransactionId), environments: .one(facts.environment),
                bundleId: facts.bundleId),
            purchases: purchase.map { [$0] } ?? [])
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        return HTTPResponse(
            status: 200, reason: "taken", headers: [ReadAPI.revalidate],
            body: EntitlementsAnswers(rules: rules, input: input).entitlements(finding, at: now).body)
    }
}

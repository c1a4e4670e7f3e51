internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import EntitlementRules
internal import HTTPServer
internal import KeyedState
internal import Primitives
internal import Records
internal import Telemetry

/// Verifies signed transactions uploaded by apps, adds their facts to the rows, and responds with the resulting
/// entitlements.
final class TransactionUploads: Sendable {
    /// Number of concurrent uploads. Each spends most of its time waiting for Kafka.
    private static let concurrency = 16

    private let verifier: NotificationVerifier
    /// The configured environments of each app.
    private let environments: [BundleId: Set<AppStoreEnvironment>]
    private let confirmation: UploadConfirmation
    /// Maximum age, in milliseconds, of the signature in an upload that creates a purchase.
    private let age: Int64
    private let state: KeyedState<EntitlementsModel>
    private let rules: ProductRules
    private let input: InputFreshness
    private let topics: TopicNames
    private let clocks: Clocks
    private let log: RateLimitedLogger
    private let waiting = WaitingExchanges<TransactionUpload>(atMost: 256)

    /// Returns nil if no app is configured.
    ///
    /// - Parameters:
    ///   - verifier: the verifier, or nil if no app is configured.
    ///   - budgets: the process-wide budgets for requests to Apple, or nil to create new ones.
    /// - Throws: a `ConfigurationError` if the apps or credentials are invalid.
    init?(
        _ configuration: Configuration, verifier: NotificationVerifier?, state: KeyedState<EntitlementsModel>,
        rules: ProductRules,
        input: InputFreshness, topics: TopicNames, clocks: Clocks, logger: Logger, log: RateLimitedLogger,
        budgets: RequestBudgets? = nil
    ) throws(ConfigurationError) {
        let apps = try AppStoreSettings.apps(configuration)
        guard let verifier, !apps.isEmpty else { return nil }
        environments = Dictionary(apps.map { ($0.bundleId, $0.environments) }) { $1 }
        age = configuration[EntitlementsSettings.uploadAge].components.seconds * 1_000
        self.verifier = verifier
        let api = try AppStoreSettings.api(configuration)
        confirmation = UploadConfirmation(
            client: AppStoreSettings.client(
                api, verifier: verifier, clocks: clocks, budgets: budgets, logger: logger),
            apps: Set(api.configuration.credentials.keys))
        self.state = state
        self.rules = rules
        self.input = input
        self.topics = topics
        self.clocks = clocks
        self.log = log
    }

    /// - Returns: false if the queue is full.
    func take(_ upload: TransactionUpload, _ exchange: Exchange) -> Bool { waiting.take(upload, exchange) }

    /// Processes uploads, several at a time.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await waiting in waiting.all {
                if running >= Self.concurrency { await group.next() } else { running += 1 }
                group.addTask { waiting.exchange.respond(await self.answer(waiting.request)) }
            }
            group.cancelAll()
        }
    }

    private func answer(_ upload: TransactionUpload) async -> HTTPResponse {
        do throws(UploadError) {
            guard let verified = try verify(upload) else { return try await confirm(expired: upload) }
            guard let subject = UploadSubject(verified) else {
                throw UploadError(422, ReadAPIName.notReadable, "the transaction has no transactionId")
            }
            try check(subject, upload)
            return try await add(verified, subject, upload)
        } catch {
            return error.response
        }
    }

    /// - Returns: the transaction, or nil if the only problem is a certificate that is not currently valid.
    private func verify(_ upload: TransactionUpload) throws(UploadError) -> VerifiedTransaction? {
        do throws(AppStoreVerification.Refusal) {
            return try verifier.verify(
                signedTransaction: upload.signedTransaction, signedRenewalInfo: upload.signedRenewalInfo,
                at: clocks.wallMilliseconds())
        } catch {
            if error.reason == .certificateTime { return nil }
            throw UploadError(error)
        }
    }

    /// Checks that the app is configured, and that both the app's configuration and the request include the
    /// transaction's environment.
    private func check(_ subject: UploadSubject, _ upload: TransactionUpload) throws(UploadError) {
        guard let configured = environments[subject.bundleId] else {
            throw UploadError(422, ReadAPIName.notVerified, "audience: the app is not configured")
        }
        guard configured.contains(subject.environment) else {
            throw UploadError(
                422, ReadAPIName.otherEnvironment,
                "signed in \(subject.environment.rawValue): apps.\(subject.bundleId.rawValue).environments excludes it"
            )
        }
        guard upload.environments.environments.contains(subject.environment) else {
            throw UploadError(
                422, ReadAPIName.otherEnvironment,
                """
                signed in \(subject.environment.rawValue): set \(ReadAPIName.environment) to that value, or to all, to \
                grant access for it
                """)
        }
    }

    /// Adds a verified transaction. An upload with an old signature must not create a purchase, because the transaction
    /// may have been refunded since.
    private func add(
        _ verified: VerifiedTransaction, _ subject: UploadSubject, _ upload: TransactionUpload
    ) async throws(UploadError) -> HTTPResponse {
        let facts = try facts(of: verified)
        let oldest = now.advanced(byMilliseconds: -age)
        let isFresh = facts.transactions.values.allSatisfy { $0.version.signedDate >= oldest }
        let isRenewalFresh = facts.renewal.map { $0.version.signedDate >= oldest } ?? true
        let first = try isFresh ? self.facts(of: verified, hasRenewalInfo: isRenewalFresh) : nil
        let purchase = try await contribute(facts, of: upload) { known in known.hasSignedFacts ? facts : first }
        if isFresh || purchase?.hasSignedFacts == true { return try answer(purchase, of: facts, upload) }
        guard confirmation.isAvailable(for: subject.bundleId) else {
            throw UploadError(
                422, ReadAPIName.tooOld,
                """
                the purchase is unknown, and the transaction was signed longer ago than \
                \(EntitlementsSettings.uploadAge.key) allows: \(UploadConfirmation.fix)
                """)
        }
        return try await confirm(subject, upload)
    }

    /// Confirms a transaction signed with an expired certificate by querying Apple, because the signature alone proves
    /// nothing.
    private func confirm(expired upload: TransactionUpload) async throws(UploadError) -> HTTPResponse {
        guard let subject = UploadSubject(unverified: upload.signedTransaction) else {
            throw UploadError(
                422, ReadAPIName.notReadable, "expected a transaction with its ids, bundleId and environment")
        }
        try check(subject, upload)
        guard confirmation.isAvailable(for: subject.bundleId) else {
            throw UploadError(
                422, ReadAPIName.certificateExpired,
                "the signing certificate is not currently valid: \(UploadConfirmation.fix)")
        }
        return try await confirm(subject, upload)
    }

    private func confirm(
        _ subject: UploadSubject, _ upload: TransactionUpload
    ) async throws(UploadError) -> HTTPResponse {
        let facts = try await confirmation.facts(of: subject)
        return try answer(try await contribute(facts, of: upload) { _ in facts }, of: facts, upload)
    }

    private func facts(
        of verified: VerifiedTransaction, hasRenewalInfo: Bool = true
    ) throws(UploadError) -> PurchaseFacts {
        do throws(Refusal) {
            return try TransactionUpload.facts(of: verified, hasRenewalInfo: hasRenewalInfo)
        } catch {
            throw UploadError(422, ReadAPIName.notReadable, error.message)
        }
    }

    private var now: AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
    }

    /// - Returns: the purchase after the change, or nil if it is unknown or erased.
    private func contribute(
        _ facts: PurchaseFacts, of upload: TransactionUpload,
        _ contribution: @Sendable (PurchaseFacts) -> PurchaseFacts?
    ) async throws(UploadError) -> PurchaseFacts? {
        let empty = PurchaseFacts(
            environment: facts.environment, bundleId: facts.bundleId,
            originalTransactionId: facts.originalTransactionId)
        let (claim, now) = (upload.account.map { UploadClaim(account: $0) }, now)
        do {
            let purchase = try await state.contribute(
                to: EntitlementsModel.key(facts.bundleId, facts.originalTransactionId),
                from: topics.input(facts.environment), orTo: empty
            ) { known in
                guard let added = contribution(known), let claim else { return contribution(known) }
                return claim.added(to: added, knowing: known, at: now)
            }
            return purchase.flatMap { $0.isErased ? nil : $0 }
        } catch {
            log.log(.error, key: "upload", "failed to add an uploaded transaction", [LogField(.error, "\(error)")])
            throw UploadError(
                503, ReadAPIName.unavailable, "the transaction was not acknowledged; retry the request")
        }
    }

    private func answer(
        _ purchase: PurchaseFacts?, of facts: PurchaseFacts, _ upload: TransactionUpload
    ) throws(UploadError) -> HTTPResponse {
        if let account = upload.account, let purchase, purchase.owner(at: now) != account {
            throw UploadError(
                409, ReadAPIName.belongsToAnother,
                """
                the transaction was accepted, but its purchase belongs to another account; use \
                \(ReadAPIName.transfer) in \(Route.claims.rawValue) to move it
                """)
        }
        let finding = EntitlementsFinding(
            query: EntitlementsQuery(
                subject: .originalTransactionId(facts.originalTransactionId), environments: .one(facts.environment),
                bundleId: facts.bundleId),
            purchases: purchase.map { [$0] } ?? [])
        return HTTPResponse(
            status: 200, reason: "taken", headers: [ReadAPI.revalidate],
            body: EntitlementsAnswers(rules: rules, input: input).entitlements(finding, at: now).body)
    }
}

extension UploadError {
    /// Maps a refusal by the verifier to a response.
    init(_ refusal: AppStoreVerification.Refusal) {
        let message = "\(refusal.reason): \(refusal.detail)"
        self =
            refusal.status == 503 || refusal.status == 429
            ? UploadError(503, ReadAPIName.unavailable, message)
            : UploadError(422, ReadAPIName.notVerified, message)
    }
}

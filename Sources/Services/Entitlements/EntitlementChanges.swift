internal import AppStoreModel
internal import AppStoreVerification
internal import Configuration
internal import EntitlementRules
internal import HTTPServer
internal import KeyedState
internal import Primitives
internal import Records
internal import Telemetry

/// Applies claims and erasures, one at a time for each purchase. Each takes about as long as one acknowledgement from
/// Kafka.
final class EntitlementChanges: Sendable {
    private typealias Waiting = WaitingExchanges<ChangeRequest>.Waiting

    private let state: KeyedState<EntitlementsModel>
    private let rules: ProductRules
    private let input: InputFreshness
    private let topics: TopicNames
    private let clocks: Clocks
    private let log: RateLimitedLogger
    private let apps: Set<BundleId>
    private let verifier: NotificationVerifier?
    private let queues = ChangeQueues<Waiting>(atMost: 256)

    /// - Parameters:
    ///   - apps: the apps in which a purchase may be claimed before anything is known about the purchase; empty means
    ///     every app.
    ///   - verifier: the verifier for the signed transactions that prove a claim, or nil if no app is configured.
    init(
        state: KeyedState<EntitlementsModel>, rules: ProductRules, input: InputFreshness, topics: TopicNames,
        clocks: Clocks, log: RateLimitedLogger, apps: Set<BundleId>,
        verifier: NotificationVerifier?
    ) {
        self.state = state
        self.rules = rules
        self.input = input
        self.topics = topics
        self.clocks = clocks
        self.log = log
        self.apps = apps
        self.verifier = verifier
    }

    /// - Returns: false if too many changes are waiting.
    func take(_ request: ChangeRequest, _ exchange: Exchange) -> Bool {
        queues.enqueue(
            Waiting(request: request, exchange: exchange),
            key: EntitlementsModel.key(request.bundleId, request.originalTransactionId))
    }

    func run() async {
        await queues.run { [self] waiting in waiting.exchange.respond(await answer(waiting.request)) }
    }

    private func answer(_ request: ChangeRequest) async -> HTTPResponse {
        let key = EntitlementsModel.key(request.bundleId, request.originalTransactionId)
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        let isProved: Bool
        do throws(UploadError) {
            isProved = try prove(request)
        } catch {
            return error.response
        }
        do {
            let purchase = try await state.contribute(
                to: key, from: topics.input(request.environment), orTo: unknown(request)
            ) { known in
                request.contribution(to: known, at: now, isProved: isProved)
            }
            guard let purchase, !purchase.isErased || request.change == .erasure else {
                return ReadAPI.problem(404, ReadAPIName.notFound, "this purchase is unknown")
            }
            if case .claim(let token, _) = request.change, purchase.owner(at: now) != token {
                return ReadAPI.problem(
                    409, ReadAPIName.belongsToAnother,
                    """
                    the purchase belongs to another account; to move it, set \(ReadAPIName.transfer) and send the \
                    \(ReadAPIName.signedTransactionInfo) as proof of purchase
                    """)
            }
            return HTTPResponse(
                status: 200, reason: "changed", headers: [ReadAPI.revalidate],
                body: EntitlementsAnswers(rules: rules, input: input).changed(purchase, at: now))
        } catch {
            log.log(.error, key: "change", "change failed", [LogField(.error, "\(error)")])
            return ReadAPI.problem(503, ReadAPIName.unavailable, "the change was not acknowledged; retry the request")
        }
    }

    /// Returns whether the request contains a transaction, signed by Apple, for the same purchase.
    private func prove(_ request: ChangeRequest) throws(UploadError) -> Bool {
        guard let proof = request.proof else { return false }
        guard let verifier else {
            throw UploadError(
                422, ReadAPIName.notVerified,
                "set \(EntitlementsSettings.apps.key) to the apps that may send transactions")
        }
        let verified: VerifiedTransaction
        do throws(AppStoreVerification.Refusal) {
            verified = try verifier.verify(signedTransaction: proof, at: clocks.wallMilliseconds())
        } catch {
            throw error.reason == .certificateTime
                ? UploadError(
                    422, ReadAPIName.certificateExpired,
                    "the signing certificate is not currently valid: have the app fetch the transaction again")
                : UploadError(error)
        }
        guard let subject = UploadSubject(verified), subject.bundleId == request.bundleId,
            subject.environment == request.environment,
            subject.originalTransactionId == request.originalTransactionId
        else {
            throw UploadError(
                422, ReadAPIName.notVerified, "\(ReadAPIName.signedTransactionInfo): belongs to a different purchase")
        }
        return true
    }

    /// Returns an empty purchase for a claim that precedes the first notification. Returns nil for an erasure, an app
    /// that is not configured, or identifiers that cannot be Apple's, such as an id that is not a decimal number.
    private func unknown(_ request: ChangeRequest) -> PurchaseFacts? {
        guard case .claim = request.change, apps.isEmpty || apps.contains(request.bundleId),
            !request.bundleId.rawValue.contains("/"),
            case .number = TransactionKey(TransactionId(request.originalTransactionId.rawValue))
        else { return nil }
        return PurchaseFacts(
            environment: request.environment, bundleId: request.bundleId,
            originalTransactionId: request.originalTransactionId)
    }
}

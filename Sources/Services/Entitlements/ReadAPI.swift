internal import AppStoreModel
internal import Configuration
internal import EntitlementRules
internal import HTTPServer
internal import JSON
internal import KeyedState
internal import Records
internal import Telemetry
internal import Time

/// The read API: what somebody may use, now or at a moment, evaluated when it is asked; what happened; which purchases
/// there are. Where it is allowed, claims and erasures too.
struct ReadAPI: Sendable {
    /// Purchases of one answer. Most accounts have a handful; every consumable that is bought is a purchase of its own.
    static let maximumPurchases = 10_000

    /// The rows, once they can be read.
    let reader: @Sendable () throws(StateError) -> StateReader<EntitlementsModel>
    let topics: TopicNames
    let rules: ProductRules
    let clocks: Clocks
    let metrics: EntitlementsMetrics
    let log: RateLimitedLogger
    /// Why answers may miss something; nil when they do not.
    let obstacle: @Sendable () -> String?
    /// Takes a claim or an erasure, and says whether there was room; nil where they are not allowed.
    let change: (@Sendable (ChangeRequest, Exchange) -> Bool)?
    var maximumPurchases = Self.maximumPurchases

    func listener(host: String, port: Int) -> Listener {
        Listener(
            name: "entitlements", host: host, port: UInt16(clamping: port), limits: .readAPI,
            admit: { head in
                switch head.path {
                case ReadAPIName.entitlementsPath.description, ReadAPIName.historyPath.description,
                    ReadAPIName.purchasesPath.description:
                    return head.isGetOrHead ? .noBody : .methodNotAllowed(allow: "GET, HEAD")
                case ReadAPIName.claimsPath.description, ReadAPIName.erasuresPath.description:
                    guard head.methodIs("POST") else { return .methodNotAllowed(allow: "POST") }
                    return .body(limit: ChangeRequest.maximumBytes)
                default: return .notFound
                }
            },
            handle: { request, exchange in handle(request, exchange) })
    }

    /// On the loop thread, which only reads the request; finding, evaluating and writing are the reader's queue's work.
    private func handle(_ request: HTTPRequest, _ exchange: Exchange) {
        if let obstacle = obstacle() {
            return exchange.respond(Self.problem(503, ReadAPIName.unavailable, obstacle))
        }
        do throws(Refusal) {
            switch request.head.path {
            case ReadAPIName.claimsPath.description:
                return take(try ChangeRequest(claim: request.body), exchange)
            case ReadAPIName.erasuresPath.description:
                return take(try ChangeRequest(erasure: request.body), exchange)
            case ReadAPIName.purchasesPath.description:
                return list(try PurchasesQuery(request.head.query), exchange)
            case ReadAPIName.historyPath.description:
                return find(try EntitlementsQuery(request.head.query, kind: .history), request, exchange)
            default:
                return find(try EntitlementsQuery(request.head.query), request, exchange)
            }
        } catch {
            exchange.respond(Self.problem(400, ReadAPIName.badRequest, error.message))
        }
    }

    // MARK: Subjects

    private func find(_ query: EntitlementsQuery, _ request: HTTPRequest, _ exchange: Exchange) {
        let knownETag = request.head.header("if-none-match")
        read(exchange) { rows in
            try rows.states(
                under: query.subject.entry, in: topics.state(query.environment), atMost: maximumPurchases + 1)
        } answer: { found in
            guard found.count <= maximumPurchases else {
                return Self.problem(
                    422, ReadAPIName.tooManyPurchases,
                    "more than \(maximumPurchases) purchases; ask by \(ReadAPIName.originalTransactionId)")
            }
            let purchases = found.filter { query.bundleId == nil || $0.bundleId == query.bundleId }
            guard !purchases.isEmpty else {
                return Self.problem(404, ReadAPIName.notFound, "nothing is known of this \(query.subject.name)")
            }
            return answer(query, purchases, knownETag)
        }
    }

    private func answer(_ query: EntitlementsQuery, _ purchases: [PurchaseFacts], _ knownETag: String?) -> HTTPResponse
    {
        let answers = EntitlementsAnswers(rules: rules)
        guard query.kind == .entitlements else {
            let body = answers.history(query, purchases)
            return Self.answer(body, EntityTag(of: body), knownETag)
        }
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        let instant = query.at ?? now
        let evaluated = EntitlementAnswer(
            purchases: purchases, environment: query.environment, at: instant, rules: rules,
            // A past moment is judged by what had happened by then.
            view: instant < now ? .history : .newestFacts)
        // Names what was answered but for the moment of evaluation, so that a client may keep it until it changes.
        let tag = EntityTag(of: answers.entitlements(query, purchases, evaluated, isTimeless: true))
        return Self.answer(answers.entitlements(query, purchases, evaluated, isTimeless: false), tag, knownETag)
    }

    // MARK: Lists

    private func list(_ query: PurchasesQuery, _ exchange: Exchange) {
        read(exchange) { rows in
            let topic = topics.state(query.environment)
            let after = query.after ?? ""
            return query.isUnclaimed
                ? try rows.states(
                    withEntry: EntitlementsModel.Entry.unclaimed, after: after, in: topic, atMost: query.limit + 1)
                : try rows.states(after: Array(after.utf8), in: topic, atMost: query.limit + 1)
        } answer: { found in
            let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
            let page = EntitlementsAnswers(rules: rules).purchases(
                query, Array(found.prefix(query.limit)), hasMore: found.count > query.limit, at: now)
            return HTTPResponse(status: 200, reason: "ok", headers: [Self.revalidate], body: page)
        }
    }

    /// Reads on the reader's queue, and answers there.
    private func read(
        _ exchange: Exchange, _ find: @escaping @Sendable (StateView<EntitlementsModel>) throws -> [PurchaseFacts],
        answer: @escaping @Sendable ([PurchaseFacts]) -> HTTPResponse
    ) {
        let begun = clocks.monotonicNanoseconds()
        let then = { @Sendable (result: Result<[PurchaseFacts], StateError>) in
            switch result {
            case .success(let found): exchange.respond(answer(found))
            case .failure(let error):
                metrics.readFailed()
                log.log(.error, key: "read", "entitlements cannot be read", [LogField(.error, error.message)])
                exchange.respond(
                    Self.problem(503, ReadAPIName.unavailable, "the database cannot be read at the moment"))
            }
            metrics.read(nanoseconds: clocks.monotonicNanoseconds() &- begun)
        }
        do throws(StateError) {
            try reader().read(find, then: then)
        } catch {
            then(.failure(error))
        }
    }

    // MARK: Changes

    private func take(_ request: ChangeRequest, _ exchange: Exchange) {
        guard let change else {
            return exchange.respond(
                Self.problem(403, ReadAPIName.changesAreOff, "set \(EntitlementsSettings.changes.key) to allow it"))
        }
        if !change(request, exchange) {
            exchange.respond(Self.problem(503, ReadAPIName.busy, "too many changes wait"))
        }
    }

    // MARK: Answers

    private static func answer(_ body: [UInt8], _ tag: EntityTag, _ known: String?) -> HTTPResponse {
        let headers = [("ETag", tag.text), revalidate]
        if let known, tag.isNamed(in: known) {
            return HTTPResponse(status: 304, reason: "not_modified", headers: headers)
        }
        return HTTPResponse(status: 200, reason: "ok", headers: headers, body: body)
    }

    private static let revalidate = ("Cache-Control", "no-cache")

    static func problem(_ status: Int, _ code: String, _ message: String) -> HTTPResponse {
        var body = JSONWriter()
        body.object {
            $0.set(ReadAPIName.error, code)
            $0.set(ReadAPIName.message, message)
        }
        return HTTPResponse(status: status, reason: code, headers: [revalidate], body: body.bytes)
    }
}

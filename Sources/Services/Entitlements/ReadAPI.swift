internal import AppStoreModel
internal import Configuration
internal import EntitlementRules
internal import HTTPServer
internal import JSON
internal import KeyedState
internal import Primitives
internal import Records
internal import Telemetry

/// The read API. Serves current and past entitlements, evaluated on each request, as well as histories and lists of
/// purchases. If enabled, it also accepts claims, erasures, and signed transactions from apps.
struct ReadAPI: Sendable {
    /// Maximum number of purchases in one answer. Most accounts have a handful, but each purchase of a consumable
    /// counts separately.
    static let maximumPurchases = 10_000

    /// Returns the row reader, or throws if rows cannot be read.
    let reader: @Sendable () throws(StateError) -> StateReader<EntitlementsModel>
    let topics: TopicNames
    let rules: ProductRules
    let clocks: Clocks
    let metrics: EntitlementsMetrics
    let log: RateLimitedLogger
    /// Logs and counts requests.
    let access: AccessLog
    /// The keys of accepted clients, or nil for a loopback listener, which accepts every client.
    var keys: AccessKeys?
    /// Returns why answers may be incomplete, or nil if they are complete.
    let obstacle: @Sendable () -> String?
    /// How far the input has been read.
    let input: InputFreshness
    /// How read requests are answered while the input is stale.
    var staleAnswers = StaleAnswers.mark
    /// Enqueues a claim or an erasure, or returns false if the queue is full. Nil if changes are disabled.
    let change: (@Sendable (ChangeRequest, Exchange) -> Bool)?
    /// Enqueues a signed transaction, or returns false if the queue is full. Nil if no app is configured.
    var upload: (@Sendable (TransactionUpload, Exchange) -> Bool)?
    /// Enqueues a story, or returns false if the queue is full. Nil if stories are disabled.
    var story: (@Sendable (StorySubject, Exchange) -> Bool)?
    var maximumPurchases = Self.maximumPurchases

    func listener(host: String, port: Int) -> Listener {
        Listener(
            name: "entitlements", host: host, port: UInt16(clamping: port), limits: .readAPI,
            admit: { admit($0) },
            handle: { request, exchange in handle(request, exchange) })
    }

    private func admit(_ head: RequestHead) -> Admission {
        let route = Route(rawValue: head.path)
        let admission = admission(of: head, to: route)
        switch admission {
        case .refuse(let status, _): access.refused(route, status: status)
        case .unauthorized: access.refused(route, status: 401)
        case .methodNotAllowed: access.refused(route, status: 405)
        default: break
        }
        return admission
    }

    private func admission(of head: RequestHead, to route: Route?) -> Admission {
        guard let route else { return .notFound }
        if let keys, route.needsKey, keys.client(in: head.header("authorization")) == nil {
            return .unauthorized(challenge: AccessKeys.challenge)
        }
        guard let limit = route.bodyLimit else {
            return head.isGetOrHead ? .noBody : .methodNotAllowed(allow: "GET, HEAD")
        }
        return head.methodIs("POST") ? .optionalBody(limit: limit) : .methodNotAllowed(allow: "POST")
    }

    /// Handles a request. The event loop thread only parses the request; lookup, evaluation and encoding run on the
    /// reader's queues.
    private func handle(_ request: HTTPRequest, _ exchange: Exchange) {
        guard let route = Route(rawValue: request.head.path) else { return }
        let client = keys?.client(in: request.head.header("authorization"))
        let exchange = access.observe(exchange, key: client?.name, route)
        if route == .openAPI { return exchange.respond(answer(PackageResources.entitlements_openapi_json, request)) }
        if let obstacle = obstacle() {
            return exchange.respond(Self.problem(503, ReadAPIName.unavailable, obstacle))
        }
        if keys != nil, route.isChange, client?.permission != .full {
            return exchange.respond(
                Self.problem(403, ReadAPIName.readOnlyKey, "this key permits read requests only"))
        }
        if keys != nil, route == .story, client?.permission == .read {
            return exchange.respond(Self.problem(403, ReadAPIName.readOnlyKey, "this key may not read stories"))
        }
        do throws(Refusal) {
            switch route {
            case .entitlements: find(try EntitlementsQuery(request.head.query), request, exchange)
            case .history: find(try EntitlementsQuery(request.head.query, kind: .history), request, exchange)
            case .batch: find(try EntitlementsBatch(request.body), exchange)
            case .purchases: list(try PurchasesQuery(request.head.query), exchange)
            case .story: tell(try StoryQuery(request.head.query), exchange)
            case .claims:
                let change = try ChangeRequest(claim: request.body)
                take(change, access.observe(change: exchange, key: client?.name, route, of: change))
            case .erasures:
                let change = try ChangeRequest(erasure: request.body)
                take(change, access.observe(change: exchange, key: client?.name, route, of: change))
            case .transactions:
                let upload = try TransactionUpload(request.body)
                take(upload, access.observe(change: exchange, key: client?.name, route, of: nil))
            case .openAPI: break
            }
        } catch {
            exchange.respond(Self.problem(400, ReadAPIName.badRequest, error.message))
        }
    }

    private var now: AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
    }

    /// Returns an error response if the age of the environments' facts is unknown, or if the facts are stale and stale
    /// answers are refused. Returns nil if the query can be answered.
    private func staleFacts(_ environments: [AppStoreEnvironment]) -> HTTPResponse? {
        guard let age = input.age(of: environments, at: now) else {
            return Self.problem(503, ReadAPIName.unavailable, "it is not yet known how far the input has been read")
        }
        guard staleAnswers == .refuse, age.isStale else { return nil }
        return Self.problem(
            503, ReadAPIName.staleFacts,
            """
            the input has been read only up to \(age.asOf); set \(EntitlementsSettings.staleAnswers.key)=mark to get \
            an answer anyway
            """)
    }

    // MARK: Subjects

    private func find(_ query: EntitlementsQuery, _ request: HTTPRequest, _ exchange: Exchange) {
        if let refusal = staleFacts(query.environments.environments) { return exchange.respond(refusal) }
        read(exchange) { rows in
            try find([query], rows)
        } answer: { findings in
            guard let findings, let finding = findings.first else { return tooManyPurchases }
            let answers = EntitlementsAnswers(rules: rules, input: input)
            // The tag does not cover the times of reading and evaluation, so that clients can cache the answer until it
            // changes.
            let (timeless, body) =
                query.kind == .entitlements ? answers.entitlements(finding, at: now) : answers.history(finding, at: now)
            return answer(body, request, tag: EntityTag(of: timeless))
        }
    }

    private func find(_ batch: EntitlementsBatch, _ exchange: Exchange) {
        let environments = batch.queries.flatMap(\.environments.environments)
        if let refusal = staleFacts(environments) { return exchange.respond(refusal) }
        read(exchange) { rows in
            try find(batch.queries, rows)
        } answer: { findings in
            guard let findings else { return tooManyPurchases }
            let body = EntitlementsAnswers(rules: rules, input: input).batch(findings, at: now)
            return HTTPResponse(status: 200, reason: "ok", headers: [Self.revalidate], body: body)
        }
    }

    /// Returns the purchases of each query's subject from a single snapshot of the database, or nil if there are too
    /// many.
    private func find(
        _ queries: [EntitlementsQuery], _ rows: StateView<EntitlementsModel>
    ) throws -> [EntitlementsFinding]? {
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        var findings: [EntitlementsFinding] = []
        var left = maximumPurchases
        for query in queries {
            var found: [PurchaseFacts] = []
            for environment in query.environments.environments {
                for entry in query.subject.entries {
                    found += try rows.states(
                        under: entry, in: topics.state(environment), atMost: left - found.count + 1)
                    if found.count > left { return nil }
                }
            }
            left -= found.count
            let purchases = found.filter { query.includes($0, at: now) }
            findings.append(
                EntitlementsFinding(query: query, purchases: purchases, consents: try consents(of: purchases, rows)))
        }
        return findings
    }

    private var tooManyPurchases: HTTPResponse {
        Self.problem(
            422, ReadAPIName.tooManyPurchases,
            "more than \(maximumPurchases) purchases; query fewer subjects, or by \(ReadAPIName.originalTransactionId)"
        )
    }

    // MARK: Lists

    private func list(_ query: PurchasesQuery, _ exchange: Exchange) {
        if let refusal = staleFacts([query.environment]) { return exchange.respond(refusal) }
        read(exchange) { rows in
            let topic = topics.state(query.environment)
            let after = query.after ?? ""
            return query.isUnclaimed
                ? try rows.states(
                    withEntry: EntitlementsModel.Entry.unclaimed, after: after, in: topic, atMost: query.limit + 1)
                : try rows.states(after: Array(after.utf8), in: topic, atMost: query.limit + 1)
        } answer: { found in
            let page = EntitlementsAnswers(rules: rules, input: input).purchases(
                query, Array(found.prefix(query.limit)), hasMore: found.count > query.limit, at: now)
            return HTTPResponse(status: 200, reason: "ok", headers: [Self.revalidate], body: page)
        }
    }

    /// Reads rows and responds, on one of the reader's queues.
    private func read<Found: Sendable>(
        _ exchange: Exchange, _ find: @escaping @Sendable (StateView<EntitlementsModel>) throws -> Found,
        answer: @escaping @Sendable (Found) -> HTTPResponse
    ) {
        let begun = clocks.monotonicNanoseconds()
        let then = { @Sendable (result: Result<Found, StateError>) in
            switch result {
            case .success(let found): exchange.respond(answer(found))
            case .failure(let error):
                metrics.readFailed()
                log.log(.error, key: "read", "failed to read entitlements", [LogField(.error, error.message)])
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
                Self.problem(403, ReadAPIName.changesAreOff, "set \(EntitlementsSettings.changes.key) to allow changes")
            )
        }
        if !change(request, exchange) {
            exchange.respond(Self.problem(503, ReadAPIName.busy, "too many changes are waiting; retry later"))
        }
    }

    private func take(_ upload: TransactionUpload, _ exchange: Exchange) {
        guard let take = self.upload else {
            return exchange.respond(
                Self.problem(
                    403, ReadAPIName.uploadsAreOff,
                    "set \(EntitlementsSettings.apps.key) to the apps that may upload transactions"))
        }
        guard upload.account == nil || change != nil else {
            return exchange.respond(
                Self.problem(
                    403, ReadAPIName.changesAreOff,
                    "set \(EntitlementsSettings.changes.key) to allow \(ReadAPIName.appAccountToken)"))
        }
        if !take(upload, exchange) {
            exchange.respond(Self.problem(503, ReadAPIName.busy, "too many transactions are waiting; retry later"))
        }
    }

    // MARK: Answers

    private func answer(_ body: [UInt8], _ request: HTTPRequest, tag: EntityTag? = nil) -> HTTPResponse {
        let tag = tag ?? EntityTag(of: body)
        let headers = [("ETag", tag.text), Self.revalidate]
        if let known = request.head.header("if-none-match"), tag.isNamed(in: known) {
            return HTTPResponse(status: 304, reason: "not_modified", headers: headers)
        }
        return HTTPResponse(status: 200, reason: "ok", headers: headers, body: body)
    }

    static let revalidate = ("Cache-Control", "no-cache")

    static func problem(_ status: Int, _ code: String, _ message: String) -> HTTPResponse {
        var body = JSONWriter()
        body.object {
            $0.set(ReadAPIName.error, code)
            $0.set(ReadAPIName.message, message)
        }
        return HTTPResponse(status: status, reason: code, headers: [revalidate], body: body.bytes)
    }
}

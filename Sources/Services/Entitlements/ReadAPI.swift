internal import AppStoreModel
internal import EntitlementRules
internal import HTTPServer
internal import NotificationRecord
internal import Telemetry

/// `GET /v1/entitlements`: what somebody may use, now or at a moment, evaluated when it is asked.
struct ReadAPI: Sendable {
    let reader: EntitlementsReader
    let rules: ProductRules
    let clocks: Clocks
    let metrics: EntitlementsMetrics
    let log: RateLimitedLogger

    func listener(host: String, port: Int) -> Listener {
        Listener(
            name: "entitlements", host: host, port: UInt16(clamping: port), limits: .readAPI,
            admit: { head in
                guard head.path == ReadAPIName.path.description else { return .notFound }
                return head.isGetOrHead ? .noBody : .methodNotAllowed(allow: "GET, HEAD")
            },
            handle: { request, exchange in handle(request, exchange) })
    }

    /// On the loop thread, which only reads the query; finding, evaluating and writing are the reader's queue's work.
    private func handle(_ request: HTTPRequest, _ exchange: Exchange) {
        let query: EntitlementsQuery
        do {
            query = try EntitlementsQuery(request.head.query)
        } catch {
            return exchange.answer(Self.problem(400, ReadAPIName.badRequest, error.message))
        }
        let begun = clocks.monotonicNanoseconds()
        let knownETag = request.head.header("if-none-match")
        reader.chains(of: query.subject, environment: query.environment, bundleId: query.bundleId) { result in
            defer { metrics.read(nanoseconds: clocks.monotonicNanoseconds() &- begun) }
            exchange.answer(answer(query, result, knownETag))
        }
    }

    private func answer(
        _ query: EntitlementsQuery, _ result: Result<EntitlementsReader.Found, EntitlementsStoreError>,
        _ knownETag: String?
    ) -> Answer {
        switch result {
        case .success(.chains(let chains)) where chains.isEmpty:
            return Self.problem(404, ReadAPIName.notFound, "nothing is known of this \(query.subject.name)")
        case .success(.chains(let chains)):
            return answer(query, chains, knownETag)
        case .success(.tooMany):
            return Self.problem(
                422, ReadAPIName.tooManyChains,
                "more than \(reader.maximumChains) purchases; ask by \(ReadAPIName.originalTransactionId)")
        case .failure(let error):
            metrics.readFailed()
            log.log(.error, key: "read", "entitlements cannot be read", [LogField(.error, error.message)])
            return Self.problem(503, ReadAPIName.unavailable, "the database cannot be read at the moment")
        }
    }

    private func answer(_ query: EntitlementsQuery, _ chains: [ChainFacts], _ knownETag: String?) -> Answer {
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        let instant = query.at ?? now
        let evaluated = EntitlementAnswer(
            chains: chains, environment: query.environment.environment, at: instant, rules: rules,
            // A past moment is judged by what had happened by then.
            view: instant < now ? .history : .newestFacts)
        let etag = Self.etag(query, evaluated, chains)
        let headers = [("ETag", etag), Self.revalidate]
        if let knownETag, Self.names(knownETag, etag) {
            return Answer(status: 304, reason: "not_modified", headers: headers)
        }
        return Answer(
            status: 200, reason: "ok", headers: headers,
            body: JSONValue.object(Self.body(query, evaluated, chains)).json)
    }

    private static func body(
        _ query: EntitlementsQuery, _ answer: EntitlementAnswer, _ chains: [ChainFacts]
    ) -> JSONObject {
        var body = JSONObject()
        body[ReadAPIName.environment] = .string(query.environment.rawValue)
        body[query.subject.name] = .string(query.subject.text)
        for member in answer.json.members { body[member.name] = member.value }
        body[ReadAPIName.chains] = .array(
            chains.sorted { $0.originalTransactionId < $1.originalTransactionId }.map { chain in
                var object = JSONObject()
                object[ReadAPIName.bundleId] = .string(chain.bundleId.rawValue)
                object[ReadAPIName.originalTransactionId] = .string(chain.originalTransactionId.rawValue)
                if let token = chain.appAccountToken {
                    object[ReadAPIName.appAccountToken] = .string(token.rawValue)
                }
                return .object(object)
            })
        return body
    }

    private static let revalidate = ("Cache-Control", "no-cache")

    /// Whether an `If-None-Match` names a tag; weak comparison (RFC 9110, 8.8.3.2 and 13.1.2).
    private static func names(_ field: String, _ etag: String) -> Bool {
        let opaque = etag.dropFirst(weak.count)
        return field.split(separator: ",").contains { element in
            let element = element.drop { $0 == " " || $0 == "\t" }
            let end = element.lastIndex { $0 != " " && $0 != "\t" }.map(element.index(after:)) ?? element.endIndex
            let tag = element[..<end]
            return tag == "*" || (tag.hasPrefix(weak) ? tag.dropFirst(weak.count) : tag) == opaque
        }
    }

    private static let weak = "W/"

    /// Names what was answered but for the moment of evaluation, so that a client may keep it until it changes: a weak
    /// tag, since the text says the moment.
    private static func etag(
        _ query: EntitlementsQuery, _ answer: EntitlementAnswer, _ chains: [ChainFacts]
    ) -> String {
        var timeless = answer
        timeless.asOf = .earliest
        // FNV-1a: tells contents apart, and is not there to resist anybody.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in JSONValue.object(body(query, timeless, chains)).json {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return "\(weak)\"\(String(hash, radix: 16))\""
    }

    private static func problem(_ status: Int, _ code: String, _ message: String) -> Answer {
        var body = JSONObject()
        body[ReadAPIName.error] = .string(code)
        body[ReadAPIName.message] = .string(message)
        return Answer(status: status, reason: code, headers: [revalidate], body: JSONValue.object(body).json)
    }
}

extension EntitlementsReader.Subject {
    /// The parameter and member that names the subject.
    var name: String {
        switch self {
        case .appAccountToken: ReadAPIName.appAccountToken
        case .originalTransactionId: ReadAPIName.originalTransactionId
        }
    }

    var text: String {
        switch self {
        case .appAccountToken(let token): token.rawValue
        case .originalTransactionId(let id): id.rawValue
        }
    }
}

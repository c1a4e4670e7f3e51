import HTTPServer
import JSON
import Synchronization

/// Get Notification History and Get All Subscription Statuses on a local port, with a test's responses, for Apple
/// behavior that a faithful simulator does not exhibit.
final class HistoryServer: Sendable {
    /// One request.
    struct Question: Sendable {
        let body: JSONObject
        let token: String?

        var isAboutConsumption: Bool { body["notificationType"]?.string == "CONSUMPTION_REQUEST" }
    }

    private final class Record: Sendable {
        let questions = Mutex<[Question]>([])
        let purchases = Mutex<[String]>([])
    }

    private let server: HTTPServer
    private let record: Record

    /// - Parameters:
    ///   - statuses: returns status and body for a purchase.
    ///   - answer: returns status and body for a history request.
    init(
        statuses: @escaping @Sendable (String) -> (Int, JSONValue) = { _ in HistoryServer.error(404, 4_040_010) },
        _ answer: @escaping @Sendable (Question) -> (Int, JSONValue)
    ) throws {
        let record = Record()
        server = HTTPServer(listeners: [
            Listener(
                name: "history", host: "127.0.0.1", port: 0, limits: Limits.public,
                admit: { head in head.methodIs("POST") ? .body(limit: 65_536) : .noBody },
                handle: { request, exchange in
                    guard request.head.methodIs("POST") else {
                        let purchase = request.head.target.split(separator: "/").last.map(String.init) ?? ""
                        record.purchases.withLock { $0.append(purchase) }
                        let (status, value) = statuses(purchase)
                        return exchange.respond(
                            HTTPResponse(status: status, reason: "test", headers: [], body: value.json))
                    }
                    let token = request.head.target.split(separator: "=").dropFirst().first.map(String.init)
                    let body = (try? JSONValue(json: request.body))?.object ?? [:]
                    let question = Question(body: body, token: token)
                    record.questions.withLock { $0.append(question) }
                    let (status, value) = answer(question)
                    exchange.respond(HTTPResponse(status: status, reason: "test", headers: [], body: value.json))
                })
        ])
        self.record = record
        try server.start()
    }

    var url: String { "http://127.0.0.1:\(server.port())" }
    var questions: [Question] { record.questions.withLock { $0 } }
    /// The purchases whose statuses were requested.
    var purchases: [String] { record.purchases.withLock { $0 } }

    func stop() async { await server.drain(within: .milliseconds(100)) }

    /// Returns one page.
    static func page(_ signedPayloads: [String], next token: String? = nil) -> (Int, JSONValue) {
        var page: JSONObject = [
            "hasMore": .bool(token != nil),
            "notificationHistory": .array(
                signedPayloads.map { ["signedPayload": .string($0), "sendAttempts": []] }),
        ]
        if let token { page["paginationToken"] = .string(token) }
        return (200, .object(page))
    }

    static func error(_ status: Int, _ code: Int64) -> (Int, JSONValue) {
        (status, ["errorCode": .integer(code), "errorMessage": "no"])
    }
}

import HTTPServer
import Synchronization

/// The company's service on a local port. It records requests and sends a test's responses.
final class CompanyService: Sendable {
    /// One request.
    struct Question: Sendable {
        let path: String
        let headers: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private final class Record: Sendable { let questions = Mutex<[Question]>([]) }

    private let server: HTTPServer
    private let record: Record

    private static let headerNames: [StaticString] = [
        "webhook-id", "webhook-timestamp", "webhook-signature", "content-type", "accept", "user-agent",
    ]

    /// - Parameter answer: responds, resets the connection, or leaves the request unanswered.
    init(_ answer: @escaping @Sendable (Question, Exchange) -> Void) throws {
        let record = Record()
        var limits = Limits.public
        limits.handlerTime = .seconds(60)
        server = HTTPServer(listeners: [
            Listener(
                name: "company", host: "127.0.0.1", port: 0, limits: limits,
                admit: { head in head.methodIs("POST") ? .body(limit: 65_536) : .notFound },
                handle: { request, exchange in
                    var headers: [String: String] = [:]
                    for name in Self.headerNames { headers[name.description] = request.head.header(name) }
                    let question = Question(path: request.head.path, headers: headers, body: request.body)
                    record.questions.withLock { $0.append(question) }
                    answer(question, exchange)
                })
        ])
        self.record = record
        try server.start()
    }

    /// Creates a service that always sends this response.
    convenience init(status: Int = 200, _ body: String, headers: [(name: String, value: String)] = []) throws {
        try self.init { _, exchange in exchange.respond(.of(status, body, headers)) }
    }

    var url: String { "http://127.0.0.1:\(server.port())/refunds?for=test" }
    var questions: [Question] { record.questions.withLock { $0 } }

    func stop() async { await server.drain(within: .milliseconds(100)) }
}

extension HTTPResponse {
    static func of(_ status: Int, _ body: String, _ headers: [(name: String, value: String)] = []) -> HTTPResponse {
        HTTPResponse(status: status, reason: "test", headers: headers, body: Array(body.utf8))
    }
}

import AppStoreSettings
import HTTPClient
import HTTPServer
import Synchronization
import Testing

@testable import Ingress

/// Requests to a responder. A response is used only if it comes directly from the address, has status 200 and is small.
@Suite(.timeLimit(.minutes(5)))
struct OCSPOverHTTPTests {
    /// A responder on a free port that sends prepared responses and records requests.
    private final class Responder: Sendable {
        struct Question: Sendable, Equatable {
            let method: String
            let target: String
            let contentType: String?
            let accept: String?
            let body: [UInt8]
        }

        let server: HTTPServer
        private let questions: Recorded

        private final class Recorded: Sendable {
            let all = Mutex<[Question]>([])
        }

        var asked: [Question] { questions.all.withLock { $0 } }
        var address: String { "http://127.0.0.1:\(server.port())/ocsp" }

        init(_ answer: HTTPResponse) throws {
            let questions = Recorded()
            self.questions = questions
            server = HTTPServer(listeners: [
                Listener(
                    name: "ocsp", host: "127.0.0.1", port: 0, limits: Limits(),
                    admit: { ($0.contentLength ?? 0) > 0 ? .body(limit: 10_000) : .noBody },
                    handle: { request, exchange in
                        let question = Question(
                            method: request.head.method, target: request.head.target,
                            contentType: request.head.header("content-type"), accept: request.head.header("accept"),
                            body: request.body)
                        questions.all.withLock { $0.append(question) }
                        exchange.respond(answer)
                    })
            ])
            try server.start()
        }
    }

    private static func ask(_ responder: Responder) async throws -> [UInt8] {
        let client = HTTPClient()
        defer { client.close() }
        return try await OCSPOverHTTP(client: client)
            .answer(to: [1, 2, 3], address: responder.address, timeout: .seconds(10))
    }

    @Test func `a request is posted as RFC 6960 specifies, and the body of a 200 is the response`() async throws {
        let responder = try Responder(HTTPResponse(status: 200, reason: "ok", body: [4, 5, 6]))
        #expect(try await Self.ask(responder) == [4, 5, 6])
        let question = Responder.Question(
            method: "POST", target: "/ocsp", contentType: "application/ocsp-request",
            accept: "application/ocsp-response", body: [1, 2, 3])
        #expect(responder.asked == [question])
    }

    @Test(arguments: [201, 204, 400, 404, 500, 503])
    func `a response with any other status is rejected`(_ status: Int) async throws {
        let responder = try Responder(HTTPResponse(status: status, reason: "ok", body: status == 204 ? [] : [4, 5, 6]))
        await #expect(throws: (any Error).self) { try await Self.ask(responder) }
    }

    @Test func `a redirect is not followed`() async throws {
        let goal = try Responder(HTTPResponse(status: 200, reason: "ok", body: [4, 5, 6]))
        let responder = try Responder(
            HTTPResponse(status: 302, reason: "ok", headers: [("Location", goal.address)], body: [4, 5, 6]))
        await #expect(throws: (any Error).self) { try await Self.ask(responder) }
        #expect(goal.asked.isEmpty)
    }

    @Test func `a response of 64 KiB is accepted, a larger one is rejected`() async throws {
        let most = [UInt8](repeating: 7, count: 64 * 1024)
        let responder = try Responder(HTTPResponse(status: 200, reason: "ok", body: most))
        #expect(try await Self.ask(responder) == most)
        let larger = try Responder(HTTPResponse(status: 200, reason: "ok", body: most + [7]))
        await #expect(throws: (any Error).self) { try await Self.ask(larger) }
    }
}

import HTTPServer
import Synchronization

/// A read API that records requests, with one response for every path or a response per path.
final class FakeReadAPI: Sendable {
    private final class Asked: Sendable {
        let targets = Mutex<[String]>([])
        let bodies = Mutex<[String]>([])
        let keys = Mutex<[String?]>([])
    }

    private let server: HTTPServer
    private let asked: Asked

    convenience init(status: Int, body: String) throws { try self.init { _ in (status, body) } }

    /// - Parameter answer: returns the response for a path.
    init(_ answer: @escaping @Sendable (String) -> (status: Int, body: String)) throws {
        let asked = Asked()
        self.asked = asked
        server = HTTPServer(listeners: [
            Listener(
                name: "read api", host: "127.0.0.1", port: 0, limits: .readAPI,
                admit: { $0.methodIs("POST") ? .optionalBody(limit: 4096) : .noBody },
                handle: { request, exchange in
                    asked.targets.withLock { $0.append("\(request.head.target)") }
                    asked.keys.withLock { $0.append(request.head.header("authorization")) }
                    if !request.body.isEmpty {
                        asked.bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
                    }
                    let (status, body) = answer(request.head.path)
                    exchange.respond(HTTPResponse(status: status, reason: "test", body: Array(body.utf8)))
                })
        ])
        try server.start()
    }

    var url: String { "http://127.0.0.1:\(server.port())" }
    var flag: [String] { ["--entitlements.url", "http://127.0.0.1:\(server.port())/"] }
    var seen: [String] { asked.targets.withLock { $0 } }
    var bodies: [String] { asked.bodies.withLock { $0 } }
    /// The received `Authorization` header fields.
    var keys: [String?] { asked.keys.withLock { $0 } }
    func stop() async { await server.drain(within: .zero) }
}

import HTTPServer
import Primitives
import TestSupport
import Testing

/// A server on a free port, with a clock controlled by the test. The test can hold requests.
final class TestServer: Sendable {
    typealias Handler = @Sendable (HTTPRequest, Exchange) -> Void

    let clock = ManualClock()
    let decisions = Recorder<RequestOutcome>()
    /// The requests for `/held`, which the test itself answers.
    let held = Recorder<Exchange>()
    /// One element for each loop pass with dispatched requests.
    let passes = Recorder<Void>()
    let server: HTTPServer

    /// `GET /held` waits for the test, `POST /echo` returns its body, and `handle` answers all other requests.
    ///
    /// - Parameter drainClock: the clock for drains; nil for the system's.
    init(
        limits: Limits = Limits(), drainClock: ManualClock? = nil,
        handle: @escaping Handler = { $1.respond(.text("ok")) }
    ) throws {
        let (clock, decisions, held, passes) = (clock, decisions, held, passes)
        let listener = Listener(
            name: "test", host: "127.0.0.1", port: 0, limits: limits,
            admit: { head in
                switch head.path {
                case "/echo": head.methodIs("POST") ? .body(limit: 256 * 1024) : .methodNotAllowed(allow: "POST")
                case "/missing": .notFound
                default: .noBody
                }
            },
            handle: { request, exchange in
                switch request.head.path {
                case "/held": held.append(exchange)
                case "/echo": exchange.respond(HTTPResponse(status: 200, reason: "ok", body: request.body))
                default: handle(request, exchange)
                }
            },
            passEnded: { passes.append(()) })
        server = HTTPServer(
            listeners: [listener], clock: { clock.now },
            drainClock: { drainClock?.now ?? SystemClock.monotonicNanoseconds() },
            requestEnded: { decisions.append($0) })
        try server.start()
    }

    var counters: ListenerCounters { server.counters[0] }

    func connect() throws -> TestConnection { try TestConnection(port: server.port()) }

    /// Returns `status reason` of every outcome so far.
    var verdicts: [String] { decisions.values.map { "\($0.status) \($0.reason)" } }

    static func echo(_ body: String, fields: String = "") -> String {
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    static func get(_ path: String, method: String = "GET") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\r\n"
    }
}

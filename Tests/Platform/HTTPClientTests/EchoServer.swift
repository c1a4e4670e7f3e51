import HTTPServer
import Synchronization

/// A server on a free port: `/large` returns a megabyte, `/redirect` redirects, `/never` does not respond, and every
/// other path returns a description of the request.
final class EchoServer: Sendable {
    let server: HTTPServer
    let requests: Counter

    final class Counter: Sendable {
        private let value = Atomic(0)
        func add() { value.add(1, ordering: .relaxed) }
        var count: Int { value.load(ordering: .relaxed) }
    }

    init() throws {
        let requests = Counter()
        self.requests = requests
        var limits = Limits()
        // A client that has closed its sending side may still read, so only the handler's time limit ends the request.
        limits.handlerTime = .seconds(1)
        server = HTTPServer(listeners: [
            Listener(
                name: "echo", host: "127.0.0.1", port: 0, limits: limits,
                admit: { ($0.contentLength ?? 0) > 0 ? .body(limit: 1_000_000) : .noBody },
                handle: { request, exchange in
                    requests.add()
                    if let answer = Self.answer(request) { exchange.respond(answer) }
                })
        ])
        try server.start()
    }

    func url(_ target: String) -> String { "http://127.0.0.1:\(server.port())\(target)" }

    private static func answer(_ request: HTTPRequest) -> HTTPResponse? {
        let head = request.head
        switch head.path {
        case "/never": return nil
        case "/large": return HTTPResponse(status: 200, reason: "ok", body: [UInt8](repeating: 1, count: 1_000_000))
        case "/redirect": return HTTPResponse(status: 302, reason: "ok", headers: [("Location", "/none")])
        default:
            // libcurl must add neither a content type nor an expectation.
            let one = head.header("x-one") ?? "-"
            let added = (head.header("content-type") ?? "") + (head.header("expect") ?? "")
            let empty = head.header("x-empty") ?? "-"
            let text = "\(head.method) \(head.target) \(one) \(empty) \(added.isEmpty ? "-" : added) "
            return HTTPResponse(
                status: 200, reason: "ok", contentType: "text/plain", body: Array(text.utf8) + request.body)
        }
    }
}

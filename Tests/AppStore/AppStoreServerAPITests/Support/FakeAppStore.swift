import Foundation
import HTTPServer
import Synchronization

/// The App Store Server API on a free port. It sends the responses of a test and records requests.
final class FakeAppStore: Sendable {
    struct Asked: Sendable {
        let method: String
        let path: String
        /// The decoded names and values, in order.
        let query: [(name: String, value: String)]
        let authorization: String
        let accept: String?
        let contentType: String?
        let userAgent: String?
        let traceParent: String?
        let body: [UInt8]

        var token: String { String(authorization.dropFirst("Bearer ".count)) }

        func values(of name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }
    }

    private let server: HTTPServer
    private let kept: Requests

    /// - Parameter answer: returns the response, or nil to leave the request unanswered until the connection is
    ///   closed.
    init(_ answer: @escaping @Sendable (Asked, _ number: Int) -> HTTPResponse?) throws {
        let requests = Requests()
        var limits = Limits()
        limits.handlerTime = .seconds(60)
        server = HTTPServer(listeners: [
            Listener(
                name: "api", host: "127.0.0.1", port: 0, limits: limits,
                admit: { $0.isGetOrHead ? .noBody : .optionalBody(limit: 1_000_000) },
                handle: { request, exchange in
                    let asked = Asked(request)
                    let number = requests.add(asked)
                    if let answer = answer(asked, number) { exchange.respond(answer) }
                })
        ])
        kept = requests
        try server.start()
    }

    /// Creates a store that always sends the same response.
    convenience init(
        status: Int = 200, headers: [(name: String, value: String)] = [], _ body: String = ""
    ) throws {
        let response = HTTPResponse(status: status, reason: "test", headers: headers, body: Array(body.utf8))
        try self.init { _, _ in response }
    }

    var url: String { "http://127.0.0.1:\(server.port())" }

    var asked: [Asked] { kept.all }

    private final class Requests: Sendable {
        private let list = Mutex<[Asked]>([])
        var all: [Asked] { list.withLock { $0 } }
        /// Adds a request and returns its number, starting at 1.
        func add(_ asked: Asked) -> Int {
            list.withLock {
                $0.append(asked)
                return $0.count
            }
        }
    }
}

extension FakeAppStore.Asked {
    fileprivate init(_ request: HTTPRequest) {
        let head = request.head
        method = head.method
        path = head.path
        query = (head.query ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                name: String(parts[0]).removingPercentEncoding ?? "",
                value: parts.count > 1 ? String(parts[1]).removingPercentEncoding ?? "" : ""
            )
        }
        authorization = head.header("authorization") ?? ""
        accept = head.header("accept")
        contentType = head.header("content-type")
        userAgent = head.header("user-agent")
        traceParent = head.header("traceparent")
        body = request.body
    }
}

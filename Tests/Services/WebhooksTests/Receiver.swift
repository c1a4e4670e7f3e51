import Cryptography
import Foundation
import HTTPServer
import Synchronization

/// A delivery received by a receiver.
struct Delivery: Sendable, Equatable {
    let path: String
    let id: String?
    let timestamp: String?
    let signatures: [String]
    let contentType: String?
    let traceParent: String?
    let body: [UInt8]

    init(_ request: HTTPRequest) {
        path = request.head.path
        id = request.head.header("webhook-id")
        timestamp = request.head.header("webhook-timestamp")
        signatures = (request.head.header("webhook-signature") ?? "").split(separator: " ").map(String.init)
        contentType = request.head.header("content-type")
        traceParent = request.head.header("traceparent")
        body = request.body
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Whether one of the signatures was made with the key (RFC 2104, without library code).
    func isSigned(with key: [UInt8]) -> Bool {
        let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
        let content = Array("\(id ?? "").\(timestamp ?? "").".utf8) + body
        let inner = SHA256.digest(of: padded.map { $0 ^ 0x36 } + content)
        let code = SHA256.digest(of: padded.map { $0 ^ 0x5C } + inner.bytes)
        return signatures.contains("v1," + Data(code.bytes).base64EncodedString())
    }
}

/// A receiver on a local port that records deliveries and sends a test's responses.
final class Receiver: Sendable {
    private struct State {
        var deliveries: [Delivery] = []
        var accepted: [Delivery] = []
    }

    /// Returns the response to the delivery with this number, from 1; nil leaves it without a response.
    typealias Decide = @Sendable (Delivery, Int) -> HTTPResponse?

    private final class Notes: Sendable { let state = Mutex(State()) }

    private let server: HTTPServer
    private let notes: Notes

    /// - Parameter port: 0 selects a free port.
    init(port: UInt16 = 0, _ decide: @escaping Decide = { _, _ in .accepted }) throws {
        let notes = Notes()
        var limits = Limits.public
        limits.handlerTime = .seconds(30)
        server = HTTPServer(listeners: [
            Listener(
                name: "receiver", host: "127.0.0.1", port: port, limits: limits,
                admit: { head in head.methodIs("POST") ? .body(limit: 1_100_000) : .notFound },
                handle: { request, exchange in
                    let delivery = Delivery(request)
                    let number = notes.state.withLock { state in
                        state.deliveries.append(delivery)
                        return state.deliveries.count
                    }
                    guard let answer = decide(delivery, number) else { return }
                    if (200...299).contains(answer.status) {
                        notes.state.withLock { $0.accepted.append(delivery) }
                    }
                    exchange.respond(answer)
                })
        ])
        self.notes = notes
        try server.start()
    }

    var port: UInt16 { server.port() }
    var url: String { "http://127.0.0.1:\(port)/hook?for=test" }
    /// All deliveries, in arrival order.
    var deliveries: [Delivery] { notes.state.withLock { $0.deliveries } }
    /// Deliveries that received a 2xx response.
    var accepted: [Delivery] { notes.state.withLock { $0.accepted } }

    func stop() async { await server.drain(within: .milliseconds(100)) }

    /// Returns a port without a listener.
    static func closedPort() async throws -> UInt16 {
        let receiver = try Receiver()
        let port = receiver.port
        await receiver.stop()
        return port
    }
}

extension HTTPResponse {
    static let accepted = HTTPResponse(status: 204, reason: "accepted")

    static func status(_ status: Int, _ headers: [(name: String, value: String)] = []) -> HTTPResponse {
        HTTPResponse(status: status, reason: "test", headers: headers)
    }
}

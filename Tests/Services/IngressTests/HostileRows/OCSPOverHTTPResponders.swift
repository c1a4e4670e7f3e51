import AppStoreTestSupport
import Cryptography
import HTTPServer
import Synchronization

/// The responders of every case's leaf and intermediate, on one listener.
final class OCSPOverHTTPResponders: Sendable {
    private struct State {
        var authorities: [String: OCSPCase.Authority] = [:]
        var asked: [String] = []
        var held: [@Sendable () throws -> Void] = []
        var isReleased = false
    }

    private let state = Mutex(State())
    private let now: Int64
    private let server = Mutex<HTTPServer?>(nil)

    /// - Parameter now: milliseconds since 1970.
    init(now: Int64) throws {
        self.now = now
        var limits = Limits()
        limits.handlerTime = .seconds(60)
        let server = HTTPServer(listeners: [
            Listener(
                name: "ocsp", host: "127.0.0.1", port: 0, limits: limits, admit: { _ in .body(limit: 4096) },
                handle: { [weak self] request, exchange in
                    do {
                        try self?.answer(request, exchange)
                    } catch {
                        exchange.respond(HTTPResponse(status: 500, reason: "\(error)"))
                    }
                })
        ])
        try server.start()
        self.server.withLock { $0 = server }
        for row in OCSPCase.all {
            // Port 1 has no listener.
            let port = row.name == "unreachable" ? 1 : server.port()
            let authority = try OCSPCase.Authority(port: port, name: row.name, now: now)
            state.withLock { $0.authorities[row.name] = authority }
        }
    }

    func authority(_ row: OCSPCase) throws -> OCSPCase.Authority {
        guard let authority = state.withLock({ $0.authorities[row.name] }) else { throw CancellationError() }
        return authority
    }

    /// The requested paths, such as `/good/leaf`.
    var asked: [String] { state.withLock { $0.asked } }

    var heldCount: Int { state.withLock { $0.held.count } }

    /// Responds to held requests with good, and to all later ones at once.
    func release() throws {
        let held = state.withLock { state in
            state.isReleased = true
            defer { state.held = [] }
            return state.held
        }
        for answer in held { try answer() }
    }

    func stop() async {
        let server = server.withLock { $0 }
        await server?.drain(within: .zero)
    }

    private func answer(_ request: HTTPRequest, _ exchange: Exchange) throws {
        let path = request.head.path
        let parts = path.split(separator: "/").map(String.init)
        state.withLock { $0.asked.append(path) }
        guard parts.count == 2, let row = OCSPCase.all.first(where: { $0.name == parts[0] }) else {
            return exchange.respond(HTTPResponse(status: 404, reason: "path"))
        }
        let authority = try authority(row)
        let issuer = try parts[1] == "leaf" ? authority.kit.intermediate() : authority.kit.root()
        var responder = OCSPResponder(issuer: issuer.certificate, signer: issuer.certificate, key: issuer.key)
        let reply = parts[1] == "leaf" ? try row.rule(&responder, authority, request.body) : .signed(.good)
        let (body, now) = (request.body, now)
        let signed: @Sendable (OCSPResponder.Status) throws -> Void = { [responder] status in
            let bytes = try responder.answer(request: body, at: now / 1000) { _ in status }
            exchange.respond(HTTPResponse(status: 200, reason: "ok", body: bytes))
        }
        switch reply {
        case .signed(let status): try signed(status)
        case .raw(let bytes): exchange.respond(HTTPResponse(status: 200, reason: "ok", body: bytes))
        case .answer(let answer): exchange.respond(answer)
        case .held:
            let isReleased = state.withLock { state in
                if !state.isReleased { state.held.append { try signed(.good) } }
                return state.isReleased
            }
            if isReleased { try signed(.good) }
        }
    }
}

import Foundation
import HTTPServer

/// `http-probe PORT` runs the HTTP server alone. `POST /notifications` is answered with 200 for any body; every other
/// request is refused as in the ingress. The program prints its port, which may be 0 in the argument, and on SIGTERM
/// drains and exits.
@main
struct HTTPProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 1, let port = arguments.first.flatMap({ UInt16($0) }) else {
            FileHandle.standardError.write(Data("usage: http-probe PORT\n".utf8))
            exit(64)
        }
        signal(SIGTERM, SIG_IGN)
        var limits = Limits.public
        // All clients of a test come from one network.
        limits.proxies = [NetworkPrefix("127.0.0.0/8")].compactMap { $0 }
        let server = HTTPServer(listeners: [
            Listener(
                name: "probe", host: "127.0.0.1", port: port, limits: limits,
                admit: { head in
                    guard head.targetIs("/notifications") else { return .notFound }
                    return head.methodIs("POST") ? .body(limit: 256 * 1024) : .methodNotAllowed(allow: "POST")
                },
                handle: { _, exchange in exchange.respond(HTTPResponse(status: 200, reason: "ok")) })
        ])
        try server.start()
        await ended { FileHandle.standardOutput.write(Data("port \(server.port())\n".utf8)) }
        await server.drain()
    }

    /// Waits for SIGTERM. Calls `begun` as soon as the signal can no longer be missed.
    private static func ended(begun: @escaping @Sendable () -> Void) async {
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        await withCheckedContinuation { continuation in
            source.setRegistrationHandler { begun() }
            source.setEventHandler {
                source.cancel()
                continuation.resume()
            }
            source.resume()
        }
    }
}

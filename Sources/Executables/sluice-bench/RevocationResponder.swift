internal import AppStoreSigning
internal import Cryptography
internal import Foundation
internal import HTTPServer
internal import Synchronization

/// Answers OCSP for the test certificates on this machine: Apple's libraries remember a chain only when they have
/// asked about it.
final class RevocationResponder: Sendable {
    private let server: HTTPServer
    private let port: UInt16
    private let pki: Authorities

    private final class Authorities: Sendable {
        let pki = Mutex<TestCertificateAuthority?>(nil)
    }

    init() throws {
        let pki = Authorities()
        self.pki = pki
        server = HTTPServer(listeners: [
            Listener(
                name: "ocsp", host: "127.0.0.1", port: 0, limits: .admin, admit: { _ in .body(limit: 16 * 1024) },
                handle: { request, exchange in
                    let isAboutLeaf = request.head.targetIs("/leaf")
                    let response = pki.pki.withLock { $0 }.flatMap {
                        Self.response(to: request.body, isAboutLeaf: isAboutLeaf, from: $0)
                    }
                    exchange.respond(
                        HTTPResponse(
                            status: response == nil ? 503 : 200, reason: "ocsp",
                            contentType: "application/ocsp-response", body: response ?? []))
                })
        ])
        try server.start()
        port = server.port()
    }

    /// New certificates that name this responder.
    func makeCertificates(at seconds: Int64) throws -> TestCertificateAuthority {
        var options = TestCertificateAuthority.Options(now: seconds)
        options.leafOCSPAddress = "http://127.0.0.1:\(port)/leaf"
        options.intermediateOCSPAddress = "http://127.0.0.1:\(port)/intermediate"
        let made = try TestCertificateAuthority(options)
        pki.pki.withLock { $0 = made }
        return made
    }

    func stop() async { await server.drain(within: .seconds(1)) }

    private static func response(to request: [UInt8], isAboutLeaf: Bool, from pki: TestCertificateAuthority) -> [UInt8]?
    {
        guard let keys = pki.authorityKeys else { return nil }
        let issuer = isAboutLeaf ? pki.intermediate : pki.root
        var responder = OCSPResponder(
            issuer: issuer, signer: issuer, key: isAboutLeaf ? keys.intermediate : keys.root)
        // Apple's Python library finds the issuer by its key only.
        responder.isNamedByKey = true
        return try? responder.answer(request: request, at: Int64(Date().timeIntervalSince1970)) { _ in .good }
    }
}

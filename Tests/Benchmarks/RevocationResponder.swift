internal import AppStoreSigning
internal import Cryptography
internal import Foundation
internal import HTTPServer
internal import Synchronization

/// Answers OCSP requests for the test certificates on this machine, because Apple's libraries cache a chain only after
/// checking its revocation status. Like Apple's responses, these contain the delegated certificate that signed them;
/// Apple's library for Node accepts no others.
final class RevocationResponder: Sendable {
    private let server: HTTPServer
    private let port: UInt16
    private let pki: Authorities

    /// The OCSP responders for the certificates of each issuer.
    private struct Signers {
        let ofLeaf: OCSPResponder
        let ofIntermediate: OCSPResponder
    }

    private final class Authorities: Sendable {
        let signers = Mutex<Signers?>(nil)
    }

    init() throws {
        let pki = Authorities()
        self.pki = pki
        server = HTTPServer(listeners: [
            Listener(
                name: "ocsp", host: "127.0.0.1", port: 0, limits: .admin, admit: { _ in .body(limit: 16 * 1024) },
                handle: { request, exchange in
                    let isAboutLeaf = request.head.targetIs("/leaf")
                    let signers = pki.signers.withLock { $0 }
                    let response = (isAboutLeaf ? signers?.ofLeaf : signers?.ofIntermediate).flatMap {
                        try? $0.answer(request: request.body, at: Self.now) { _ in .good }
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

    /// Creates certificates with the address of this responder.
    func makeCertificates(at seconds: Int64) throws -> TestCertificateAuthority {
        var options = TestCertificateAuthority.Options(now: seconds)
        options.leafOCSPAddress = "http://127.0.0.1:\(port)/leaf"
        options.intermediateOCSPAddress = "http://127.0.0.1:\(port)/intermediate"
        let made = try TestCertificateAuthority(options)
        guard let keys = made.authorityKeys else { throw BenchFailure("the authorities have no keys") }
        let signers = Signers(
            ofLeaf: try Self.responder(for: made.intermediate, keys.intermediate, at: seconds),
            ofIntermediate: try Self.responder(for: made.root, keys.root, at: seconds))
        pki.signers.withLock { $0 = signers }
        return made
    }

    func stop() async { await server.drain(within: .seconds(1)) }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private static func responder(
        for issuer: Certificate, _ issuerKey: PrivateKey, at seconds: Int64
    ) throws -> OCSPResponder {
        let key = try PrivateKey.generate(.p256)
        let builder = CertificateBuilder(
            subject: [.init("CN", "Sluice Test OCSP Responder")],
            validity: CertificateValidity(notBefore: seconds - 86_400, notAfter: seconds + 30 * 86_400),
            extensions: [.basicConstraints(isAuthority: false), .digitalSignature, .ocspSigning, .ocspNoCheck])
        let signer = try builder.issued(for: key, by: issuer, authorityKey: issuerKey)
        var responder = OCSPResponder(issuer: issuer, signer: signer, key: key)
        // Apple's library for Python finds a signer only by its key.
        responder.isNamedByKey = true
        return responder
    }
}

import Foundation
import TestSupport

/// Runs `openssl s_server` with a self-signed certificate, which answers every GET request with a page.
final class TLSServer: Sendable {
    let port: UInt16
    /// The path of the server's certificate, for clients to trust.
    let certificate: String
    private let process: ChildProcess
    private let directory: TemporaryDirectory

    private struct Unavailable: Error {
        let reason: String
    }

    /// - Parameter host: the host in the certificate.
    init(_ host: String) async throws {
        directory = try TemporaryDirectory()
        let key = directory.file("key.pem")
        certificate = directory.file("certificate.pem")
        let made = try await ChildProcess.run(
            "openssl-req",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=\(host)", "-addext",
                "subjectAltName=DNS:\(host)",
            ], directory: directory.path, within: .seconds(20))
        guard made.end == .exit(0) else { throw Unavailable(reason: "no certificate: \(made.process)") }
        let process = try ChildProcess(
            "s_server",
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"],
            environment: ProcessInfo.processInfo.environment, directory: directory.path)
        self.process = process
        // The line has the form ACCEPT 127.0.0.1:40001.
        func port() -> UInt16? {
            let line = process.output.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
            return line.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0.prefix { $0.isNumber }) }
        }
        _ = await eventually { port() != nil || process.ended != nil }
        guard let port = port() else {
            await process.stop()
            throw Unavailable(reason: "no TLS server: \(process)")
        }
        self.port = port
    }

    func stop() async { await process.stop() }
}

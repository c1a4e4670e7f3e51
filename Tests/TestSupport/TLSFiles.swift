import Foundation

/// A certificate authority for TLS between clients and brokers, created with the `openssl` command in the caller's
/// directory.
package struct TLSFiles: Sendable {
    package static let absence = "needs the openssl command"
    package static var isAvailable: Bool { Program.path(of: "openssl") != nil }

    private let directory: String
    /// The certificate of the authority, PEM.
    package var authority: String { "\(directory)/ca.pem" }

    package init(in directory: String) async throws {
        self.directory = directory
        try await run(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "\(directory)/ca.key"])
        try await run([
            "req", "-x509", "-new", "-key", "\(directory)/ca.key", "-subj", "/CN=Test authority", "-days", "30",
            "-out", authority,
        ])
    }

    package struct Certificate: Sendable {
        /// The certificate, PEM.
        package let certificate: String
        /// The private key, PKCS#8 in PEM.
        package let key: String
        /// The certificate and the key in one file, as brokers expect them.
        package let both: String
    }

    /// Creates a certificate with this common name.
    ///
    /// - Parameters:
    ///   - names: `subjectAltName` in OpenSSL's syntax: `IP:127.0.0.1,DNS:localhost`.
    ///   - days: days of validity from now; negative for an expired certificate.
    package func certificate(_ name: String, for names: String, days: Int = 30) async throws -> Certificate {
        let stem = "\(directory)/\(name)"
        try await run([
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "\(stem).key",
        ])
        try await run(["req", "-new", "-key", "\(stem).key", "-subj", "/CN=\(name)", "-out", "\(stem).csr"])
        try "subjectAltName=\(names)\n".write(toFile: "\(stem).ext", atomically: true, encoding: .utf8)
        try await run([
            "x509", "-req", "-in", "\(stem).csr", "-CA", authority, "-CAkey", "\(directory)/ca.key", "-CAcreateserial",
            "-days", "\(days)", "-extfile", "\(stem).ext", "-out", "\(stem).crt",
        ])
        let both = try ["key", "crt"].map { try String(contentsOfFile: "\(stem).\($0)", encoding: .utf8) }.joined()
        try both.write(toFile: "\(stem).pem", atomically: true, encoding: .utf8)
        return Certificate(certificate: "\(stem).crt", key: "\(stem).key", both: "\(stem).pem")
    }

    /// Starts a TLS server that speaks HTTP, on a free port of 127.0.0.1; the caller stops it.
    ///
    /// - Parameter isMutual: whether it requires a client certificate of the authority.
    package func serve(_ certificate: Certificate, isMutual: Bool = false) async throws -> (ChildProcess, UInt16) {
        var command = [
            "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate.certificate, "-key", certificate.key,
            "-www",
        ]
        if isMutual { command += ["-Verify", "1", "-verify_return_error", "-CAfile", authority] }
        let process = try ChildProcess(
            "openssl", command, environment: ProcessInfo.processInfo.environment, directory: directory)
        var port: UInt16?
        _ = await eventually(within: .seconds(20)) {
            // `ACCEPT 127.0.0.1:43210`
            let line = process.output.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
            port = line?.split(separator: ":").last.flatMap { UInt16($0) }
            return port != nil || process.ended != nil
        }
        guard let port else { throw SupportError("\(process)") }
        return (process, port)
    }

    private func run(_ arguments: [String]) async throws {
        let (end, process) = try await ChildProcess.run(
            "openssl", ["openssl"] + arguments, directory: directory, within: .seconds(30))
        guard end == .exit(0) else { throw SupportError("\(process)") }
    }
}

import Foundation
import HTTPClient
import TestSupport
import Testing

/// A proxy installed on this machine. It terminates TLS in front of one or two ingresses.
struct Proxy: Sendable {
    enum Program: String, Sendable, CaseIterable, CustomStringConvertible {
        case nginx, haproxy, caddy

        var description: String { rawValue }

        /// Debian installs two of them outside of users' `PATH`.
        var path: String? {
            TestSupport.Program.path(of: rawValue)
                ?? ["/usr/sbin/\(rawValue)", "/usr/local/sbin/\(rawValue)"].first(
                    where: FileManager.default.isExecutableFile)
        }
    }

    /// The configuration of a proxy.
    enum Configuration: String, Sendable, CaseIterable, CustomStringConvertible {
        /// The file in `deploy/proxies`.
        case recipe
        /// TLS, one upstream, and the program's defaults.
        case defaults

        var description: String { rawValue }
    }

    static let absence = "needs nginx, haproxy or caddy, and openssl: apt-get install nginx haproxy caddy openssl"
    static var installed: [Program] {
        TestSupport.Program.path(of: "openssl") == nil ? [] : Program.allCases.filter { $0.path != nil }
    }

    let process: ChildProcess
    let port: UInt16
    /// The proxy's certificate, which clients must trust.
    let certificate: String

    var url: String { "https://localhost:\(port)/notifications" }
}

extension Harness {
    /// Starts a proxy and waits until it responds.
    func proxy(
        _ program: Proxy.Program, _ configuration: Proxy.Configuration, before ingresses: [Ingress]
    ) async throws -> Proxy {
        let certificate = try await certificate()
        let port = try freePort()
        let recipe =
            switch configuration {
            case .recipe: try recipe(program, port: port, ingresses)
            case .defaults: defaults(program, port: port, try #require(ingresses.first))
            }
        let command = try command(program, try #require(program.path), recipe)
        let process = try start(
            program.rawValue, command, ProcessInfo.processInfo.environment.merging(["HOME": directory]) { $1 })
        let proxy = Proxy(process: process, port: port, certificate: certificate)
        let client = HTTPClient(HTTPClient.Configuration(trustRootsFile: certificate))
        defer { client.close() }
        let answers = await eventually(within: .seconds(20)) {
            if process.ended != nil { return true }
            let response = try? await client.send(
                HTTPClientRequest(method: "POST", url: proxy.url, body: Array("{}".utf8)))
            return response?.status == 400
        }
        try #require(answers && process.ended == nil, "\(process)")
        return proxy
    }

    /// Creates a certificate for localhost, and a file with certificate and key for HAProxy.
    private func certificate() async throws -> String {
        let made = try await run([
            try #require(TestSupport.Program.path(of: "openssl")), "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path("privkey.pem"), "-out", path("fullchain.pem"),
            "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        ])
        try #require(made.end == .exit(0), "\(made)")
        let both = try ["fullchain.pem", "privkey.pem"].map { try String(contentsOfFile: path($0), encoding: .utf8) }
        _ = try write(both.joined(), to: "notifications.pem")
        return path("fullchain.pem")
    }

    /// Returns the recipe from `deploy/proxies`, with this test's addresses and files in place of the examples.
    private func recipe(_ program: Proxy.Program, port: UInt16, _ ingresses: [Ingress]) throws -> String {
        let first = try #require(ingresses.first)
        let second = ingresses.count > 1 ? ingresses[1] : first
        let name: String
        var examples = [("/etc/ssl/sluice", directory)]
        switch program {
        case .nginx:
            name = "nginx.conf"
            examples += [
                ("listen 443 ssl", "listen 127.0.0.1:\(port) ssl"), ("notifications.example.com", "localhost"),
                ("127.0.0.1:8080", "127.0.0.1:\(first.port)"), ("127.0.0.2:8080", "127.0.0.1:\(second.port)"),
            ]
        case .haproxy:
            name = "haproxy.cfg"
            examples += [
                ("bind :443", "bind 127.0.0.1:\(port)"),
                ("127.0.0.1:8080 check port 9464", "127.0.0.1:\(first.port) check port \(first.adminPort)"),
                ("127.0.0.2:8080 check port 9464", "127.0.0.1:\(second.port) check port \(second.adminPort)"),
            ]
        case .caddy:
            name = "Caddyfile"
            examples += [
                ("notifications.example.com", "https://localhost:\(port)"),
                ("127.0.0.1:8080 127.0.0.2:8080", "127.0.0.1:\(first.port)"), ("9464", "\(first.adminPort)"),
            ]
        }
        let file = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../../../../deploy/proxies/\(name)").standardized
        var text = try String(contentsOf: file, encoding: .utf8)
        for (example, own) in examples {
            try #require(text.contains(example), "\(name) has no \(example)")
            text = text.replacing(example, with: own)
        }
        return text
    }

    /// Returns the shortest configuration that terminates TLS and forwards requests.
    private func defaults(_ program: Proxy.Program, port: UInt16, _ ingress: Ingress) -> String {
        switch program {
        case .nginx:
            """
            server {
                listen 127.0.0.1:\(port) ssl;
                ssl_certificate \(path("fullchain.pem"));
                ssl_certificate_key \(path("privkey.pem"));
                location / { proxy_pass http://127.0.0.1:\(ingress.port); }
            }
            """
        case .haproxy:
            """
            defaults
                mode http
                timeout connect 5s
                timeout client 50s
                timeout server 50s
            listen sluice
                bind 127.0.0.1:\(port) ssl crt \(path("notifications.pem"))
                server ingress 127.0.0.1:\(ingress.port)

            """
        case .caddy:
            """
            https://localhost:\(port) {
                tls \(path("fullchain.pem")) \(path("privkey.pem"))
                reverse_proxy 127.0.0.1:\(ingress.port)
            }
            """
        }
    }

    /// Writes the configuration with the test's additions, and returns the command line.
    private func command(_ program: Proxy.Program, _ executable: String, _ text: String) throws -> [String] {
        switch program {
        case .nginx:
            let sites = try write(text, to: "site.conf")
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map { "\($0)_temp_path \(path("nginx-\($0)"));" }.joined(separator: "\n    ")
            let main = try write(
                """
                daemon off;
                user \(NSUserName());
                pid \(path("nginx.pid"));
                error_log stderr;
                worker_processes 1;
                events { worker_connections 1024; }
                http {
                    access_log off;
                    \(temporary)
                    include \(sites);
                }
                """, to: "nginx.conf")
            return [executable, "-p", directory, "-e", "stderr", "-c", main]
        case .haproxy:
            return [executable, "-db", "-f", try write(text, to: "haproxy.cfg")]
        case .caddy:
            let options = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"
            return [
                executable, "run", "--adapter", "caddyfile", "--config", try write(options + text, to: "Caddyfile"),
            ]
        }
    }
}

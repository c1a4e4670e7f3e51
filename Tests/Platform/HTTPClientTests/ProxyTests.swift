import CommandLine
import Configuration
import HTTPClient
import HTTPServer
import TestSupport
import Testing

/// Tests of requests through a forward proxy and of the proxy settings.
@Suite(.timeLimit(.minutes(2))) struct ProxyTests {
    /// A URL whose host only the proxy can resolve.
    private let url = "http://api.example.invalid/none"

    private func client(_ proxy: ForwardProxy, credentials: String? = nil, exceptions: [String] = []) -> HTTPClient {
        HTTPClient(
            HTTPClient.Configuration(
                proxy: HTTPProxy(
                    url: proxy.url, credentials: credentials, exceptions: exceptions.compactMap(ProxyException.init))))
    }

    @Test func `an http request is sent in absolute form, and the server's response is returned`() async throws {
        let server = try EchoServer()
        let proxy = try ForwardProxy(to: server.server.port())
        let response = try await client(proxy).send(HTTPClientRequest(url: url))
        #expect(String(decoding: response.body, as: UTF8.self) == "GET /none - - - ")
        #expect(proxy.requests.first?.hasPrefix("GET http://api.example.invalid/none HTTP/1.1\r\n") == true)
        #expect(proxy.requests.first?.contains("Proxy-Authorization") == false)
        proxy.stop()
    }

    @Test(.enabled(if: Program.path(of: "openssl") != nil, "needs openssl: apt-get install openssl"))
    func `an https request goes through a tunnel, so the proxy cannot read it`() async throws {
        let server = try await TLSServer("api.example.invalid")
        let proxy = try ForwardProxy(to: server.port)
        let client = HTTPClient(
            HTTPClient.Configuration(
                trustRootsFile: server.certificate, proxy: HTTPProxy(url: proxy.url, credentials: "user:password")))
        let response = try await client.send(
            HTTPClientRequest(
                url: "https://api.example.invalid/path", headers: [("Authorization", "Bearer token")]))
        #expect(response.status == 200)
        // The proxy's response to CONNECT is not part of the response.
        #expect(response.header("x-proxy") == nil)
        let head = try #require(proxy.requests.first)
        #expect(head.hasPrefix("CONNECT api.example.invalid:443 HTTP/1.1\r\n"))
        #expect(head.contains("Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==\r\n"))
        #expect(!head.contains("token") && !head.contains("path"))
        proxy.stop()
        await server.stop()
    }

    @Test func `credentials are sent only to the proxy`() async throws {
        let server = try EchoServer()
        let proxy = try ForwardProxy(to: server.server.port())
        _ = try await client(proxy, credentials: "user:pass:word").send(HTTPClientRequest(url: url))
        // The base64 text decodes to user:pass:word.
        #expect(proxy.requests.first?.contains("Proxy-Authorization: Basic dXNlcjpwYXNzOndvcmQ=\r\n") == true)
        proxy.stop()
    }

    @Test func `credentials are sent exactly as in the file`() async throws {
        let server = try EchoServer()
        let proxy = try ForwardProxy(to: server.server.port())
        _ = try await client(proxy, credentials: "us%65r:p%41ss+ w").send(HTTPClientRequest(url: url))
        // The base64 text decodes to us%65r:p%41ss+ w.
        let line = proxy.requests.first?.split(separator: "\r\n").first { $0.hasPrefix("Proxy-Authorization") }
        #expect(line == "Proxy-Authorization: Basic dXMlNjVyOnAlNDFzcysgdw==")
        proxy.stop()
    }

    @Test func `the error for a proxy that does not respond names its setting`() async throws {
        let proxy = try ForwardProxy(to: 1)
        proxy.stop()
        let error = await #expect(throws: HTTPClientError.self) {
            try await client(proxy).send(HTTPClientRequest(url: url))
        }
        #expect(error?.code == .connectionFailed)
        #expect(error?.message.contains("the proxy \(proxy.url) from http.client.proxy is unreachable") == true)
    }

    @Test(arguments: [
        (String?.none, "set http.client.proxy.credentials.file"), ("user:wrong", "rejected the credentials"),
    ])
    func `the error for a 407 response names the fix`(_ credentials: String?, _ advice: String) async throws {
        let proxy = try ForwardProxy(to: 1, refusing: "407 Proxy Authentication Required")
        let error = await #expect(throws: HTTPClientError.self) {
            try await client(proxy, credentials: credentials).send(HTTPClientRequest(url: url))
        }
        #expect(error?.message.contains(advice) == true, "\(error?.message ?? "")")
        proxy.stop()
    }

    @Test(arguments: [
        ("https", "407 Proxy Authentication Required"), ("https", "502 Bad Gateway"), ("https", "403 Forbidden"),
        ("http", "407 Proxy Authentication Required"), ("http", "502 Bad Gateway"), ("http", "504 Gateway Timeout"),
        ("http", "503 Service Unavailable\r\nX-Squid-Error: ERR_CONNECT_FAIL 111"),
        ("http", "403 Forbidden\r\nProxy-Status: proxy.example.com; error=http_request_denied"),
    ])
    func `a refusal by the proxy is not attributed to the server, and the error names the setting`(
        _ scheme: String, _ refusal: String
    ) async throws {
        let server = try EchoServer()
        let proxy = try ForwardProxy(to: server.server.port(), refusing: refusal)
        let error = await #expect(throws: HTTPClientError.self) {
            try await client(proxy, credentials: "user:secret").send(
                HTTPClientRequest(url: "\(scheme)://api.example.invalid/none"))
        }
        #expect(error?.code == .connectionFailed)
        #expect(error?.message.contains("from http.client.proxy responded \(refusal.prefix(3))") == true)
        #expect(error?.message.contains("secret") == false)
        #expect(server.requests.count == 0)
        proxy.stop()
    }

    @Test(arguments: ["404 Not Found", "403 Forbidden", "503 Service Unavailable", "500 Internal Server Error"])
    func `an error status without signs of a proxy is the server's response`(_ answer: String) async throws {
        let proxy = try ForwardProxy(to: 1, refusing: answer)
        let response = try await client(proxy).send(HTTPClientRequest(url: url))
        #expect("\(response.status)" == answer.prefix(3))
        proxy.stop()
    }

    @Test func `the local host and exceptions bypass the proxy`() async throws {
        let server = try EchoServer()
        let proxy = try ForwardProxy(to: server.server.port())
        let response = try await client(proxy).send(HTTPClientRequest(url: server.url("/none")))
        #expect(response.status == 200)
        await #expect(throws: HTTPClientError.self) {
            try await client(proxy, exceptions: [".example.invalid"]).send(HTTPClientRequest(url: url))
        }
        #expect(proxy.requests.isEmpty)
        proxy.stop()
    }

    // MARK: Settings

    private func configuration(_ arguments: [String]) throws -> Configuration? {
        let command = Command("test", summary: "", schema: ConfigurationSchema(HTTPClientSettings.all))
        guard case .run(let invocation) = command.parse(arguments, environment: [:]) else { return nil }
        return invocation.configuration
    }

    @Test func `the settings configure the client`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("user:password\n", to: "proxy")
        let settings = try #require(
            try configuration([
                "--http.client.proxy", "http://proxy.example.com:3128/", "--http.client.proxy.credentials.file", file,
                "--http.client.no.proxy", "minio.internal,.example.org",
            ]))
        let made = try HTTPClient.Configuration(settings, trustRootsFile: "roots.pem")
        #expect(
            made.proxy
                == HTTPProxy(
                    url: "http://proxy.example.com:3128", credentials: "user:password",
                    exceptions: ["minio.internal", ".example.org"].compactMap(ProxyException.init)))
        #expect(made.trustRootsFile == "roots.pem")
        #expect(try HTTPClient.Configuration(#require(try configuration([]))).proxy == nil)
    }

    @Test(arguments: [
        "http://proxy", "http://proxy:0", "http://proxy:port", "socks5://proxy:1080", "proxy:3128",
        "http://proxy:3128/path", "http://",
    ])
    func `an invalid proxy URL is refused`(_ url: String) throws {
        #expect(try configuration(["--http.client.proxy", url]) == nil)
    }

    @Test(arguments: [
        "http://user:secret@proxy:3128", "user:secret@proxy:3128", "http://user:secret@", "http://secret@proxy:3128",
    ])
    func `a URL with a password is refused with the setting for passwords and is not shown`(_ url: String) throws {
        let command = Command("test", summary: "", schema: ConfigurationSchema(HTTPClientSettings.all))
        guard case .refuse(let lines, 78) = command.parse(["--http.client.proxy", url], environment: [:]) else {
            Issue.record("the URL was accepted")
            return
        }
        #expect(lines.count == 1 && lines[0].contains("http.client.proxy.credentials.file"))
        #expect(!lines.joined().contains("secret"))
    }

    @Test(arguments: ["*", "https://example.com", "example.com:443", "a b", "10.0.0.0/33", "10.0.0.0/", "", "a..b"])
    func `an invalid exception is refused`(_ text: String) throws {
        #expect(ProxyException(text) == nil)
        #expect(
            try configuration(["--http.client.proxy", "http://proxy:3128", "--http.client.no.proxy", text]) == nil)
    }

    @Test func `descriptions omit the credentials`() {
        let made = HTTPClient.Configuration(proxy: HTTPProxy(url: "http://proxy:3128", credentials: "user:secret"))
        var dumped = ""
        dump(made, to: &dumped)
        #expect(dumped.contains("http://proxy:3128"))
        #expect(!(dumped + "\(made)" + String(reflecting: made)).contains("secret"))
    }

    @Test(arguments: ["password", ":password", "user:pass\u{7}word"])
    func `malformed credentials are refused and not shown`(_ text: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(text, to: "proxy")
        let settings = try #require(
            try configuration([
                "--http.client.proxy", "http://proxy:3128", "--http.client.proxy.credentials.file", file,
            ]))
        let error = #expect(throws: ConfigurationError.self) { try HTTPClient.Configuration(settings) }
        #expect("\(String(describing: error))".contains("http.client.proxy.credentials.file"))
        #expect(!"\(String(describing: error))".contains("pass\u{7}word"))
    }

    @Test func `credentials without a proxy are refused`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("user:password", to: "proxy")
        let settings = try #require(try configuration(["--http.client.proxy.credentials.file", file]))
        #expect(throws: ConfigurationError.self) { try HTTPClient.Configuration(settings) }
    }
}

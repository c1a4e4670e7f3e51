internal import CCurl
internal import Primitives

/// One request in progress: its easy handle and the response so far. Only the client's thread accesses it.
final class Transfer {
    let id: HTTPClient.TransferID
    let easy: UnsafeMutableRawPointer
    let completion: TransferQueue.Completion
    /// The scheme, host and port. Messages omit the path and the query, because those may contain secrets.
    private let origin: String
    /// The proxy, or nil for a direct connection.
    private let proxy: HTTPProxy?
    private let maximumBodyBytes: Int
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var headers: [(name: String, value: String)] = []
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLarge = false

    private static let maximumHeaderBytes = 256 * 1024

    /// - Throws: `invalidURL`; `invalidRequest`; `timedOut` if the deadline has passed; `other` if libcurl fails.
    init(
        _ id: HTTPClient.TransferID, _ request: HTTPClientRequest, deadline: ContinuousClock.Instant,
        configuration: HTTPClient.Configuration, completion: @escaping TransferQueue.Completion
    ) throws(HTTPClientError) {
        self.id = id
        self.completion = completion
        let (scheme, authority) = try Self.origin(of: request.url)
        origin = scheme + authority
        proxy = configuration.proxy.flatMap { $0.isUsed(for: RequestHost(authority: authority)) ? $0 : nil }
        maximumBodyBytes = request.maximumBodyBytes
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else {
            throw HTTPClientError(
                code: .timedOut, message: "\(origin): the deadline passed before the request was sent")
        }
        guard let easy = curl_easy_init() else {
            throw HTTPClientError(code: .other, message: "failed to create a libcurl handle")
        }
        self.easy = easy
        try configure(request, left: left, trustRootsFile: configuration.trustRootsFile)
        try setProxy()
    }

    /// By now, the easy handle has been removed from the multi handle, if it was ever added.
    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
    }

    // MARK: Request

    private func configure(
        _ request: HTTPClientRequest, left: Duration, trustRootsFile: String?
    ) throws(HTTPClientError) {
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_TIMEOUT_MS, Self.milliseconds(left))
        try set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(request.connectTimeout))
        if let trustRootsFile { try set(CURLOPT_CAINFO, trustRootsFile) }
        try setMethodAndBody(request)
        try setFields(request)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(
            cc_set_takers(
                easy, { Transfer.take($0, $1, $2, $3, header: true) }, { Transfer.take($0, $1, $2, $3, header: false) },
                context))
    }

    private func setProxy() throws(HTTPClientError) {
        // Setting any string, even an empty one, prevents libcurl from reading variables such as https_proxy and
        // no_proxy.
        try set(CURLOPT_PROXY, proxy?.url ?? "")
        try set(CURLOPT_NOPROXY, "")
        guard let proxy else { return }
        // Omit the header fields of the proxy's response to CONNECT.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // libcurl percent-decodes the user name and the password.
        if let credentials = proxy.encodedCredentials { try set(CURLOPT_PROXYUSERPWD, credentials) }
    }

    private func setMethodAndBody(_ request: HTTPClientRequest) throws(HTTPClientError) {
        guard Self.isToken(request.method) else { throw invalid("the method is not a token") }
        let needsBody = ["POST", "PUT", "PATCH"].contains(request.method)
        if let body = request.body ?? (needsBody ? [] : nil) {
            try check(body.withUnsafeBytes { cc_set_body(easy, $0.baseAddress, $0.count) })
        }
        if request.method == "HEAD" {
            try set(CURLOPT_NOBODY, 1)
        } else {
            try set(CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func setFields(_ request: HTTPClientRequest) throws(HTTPClientError) {
        // A field without a value suppresses the one that libcurl would add.
        var lines = ["Expect:"]
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        for (name, value) in request.headers {
            guard Self.isToken(name), value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
                throw invalid("a header name is not a token, or its value has control characters")
            }
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        for line in lines {
            guard let longer = curl_slist_append(fields, line) else { throw invalid("cannot create the header list") }
            fields = longer
        }
        try check(cc_set_list(easy, CURLOPT_HTTPHEADER, fields))
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPClientError) {
        try check(cc_set_long(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(HTTPClientError) {
        try check(cc_set_text(easy, option, value))
    }

    private func check(_ code: CURLcode) throws(HTTPClientError) {
        if code != CURLE_OK { throw error(code) }
    }

    private func invalid(_ message: String) -> HTTPClientError {
        HTTPClientError(code: .invalidRequest, message: "\(origin): \(message)")
    }

    // MARK: Response

    private static func take(
        _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?,
        header: Bool
    ) -> Int {
        let (total, overflows) = size.multipliedReportingOverflow(by: count)
        guard let bytes, let context, !overflows else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        let buffer = UnsafeRawBufferPointer(start: bytes, count: total)
        return (header ? transfer.takeHeader(buffer) : transfer.takeBody(buffer)) ? total : 0
    }

    private func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= Self.maximumHeaderBytes else { return false }
        // Each status line begins a response. Header fields before it belong to an interim response (1xx).
        if line.starts(with: "HTTP/".utf8) {
            headers = []
            return true
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return true }
        var value = line[(colon + 1)...]
        while let byte = value.first, byte == 32 || byte == 9 { value = value.dropFirst() }
        while let byte = value.last, byte == 32 || byte == 9 || byte == 13 || byte == 10 { value = value.dropLast() }
        headers.append((String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
        return true
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= maximumBodyBytes - body.count else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// Returns the result of a transfer that libcurl has completed.
    func result(_ code: CURLcode) -> Result<HTTPClientResponse, HTTPClientError> {
        guard code == CURLE_OK else {
            guard isTooLarge else { return .failure(error(code)) }
            return .failure(
                HTTPClientError(
                    code: .bodyTooLarge, curlCode: Int32(bitPattern: code.rawValue),
                    message: "\(origin): the body is longer than \(maximumBodyBytes) bytes"))
        }
        let response = HTTPClientResponse(
            status: cc_status(easy), headers: headers, body: body, reusedConnection: cc_new_connections(easy) == 0)
        // A response to an `https://` request comes through a tunnel, so it is the server's and not the proxy's.
        if origin.hasPrefix("http://"), let failure = proxy?.failure(response, origin: origin) {
            return .failure(failure)
        }
        return .success(response)
    }

    private func error(_ code: CURLcode) -> HTTPClientError {
        proxy?.failure(code, connectStatus: cc_connect_status(easy), origin: origin)
            ?? HTTPClientError(code, origin: proxy.map { "\(origin) through the proxy \($0.url)" } ?? origin)
    }
}

// MARK: - Values

extension Transfer {
    /// Returns the scheme, host and port of an absolute `http` or `https` URL, without the user name and password.
    private static func origin(
        of url: String
    ) throws(HTTPClientError) -> (scheme: String, authority: Substring) {
        let schemes = ["http://", "https://"]
        let lowercase = url.lowercased()
        guard let scheme = schemes.first(where: { lowercase.hasPrefix($0) }),
            url.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
        else {
            throw HTTPClientError(code: .invalidURL, message: "not an absolute http or https URL")
        }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard !host.isEmpty else {
            throw HTTPClientError(code: .invalidURL, message: "the URL has no host")
        }
        return (scheme, host)
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        // At least 1 ms, because libcurl interprets 0 as "no limit", and at most a day.
        return Int(max(1, min(seconds, 86_400) * 1000 + attoseconds / 1_000_000_000_000_000))
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isHTTPTokenCharacter)
    }
}

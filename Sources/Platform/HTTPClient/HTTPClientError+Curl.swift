internal import CCurl

extension HTTPClientError {
    static let closed = HTTPClientError(code: .closed, message: "the client was closed")
    static let cancelled = HTTPClientError(code: .cancelled, message: "the request was cancelled")

    /// Maps libcurl's errors to the client's codes. Source: libcurl-errors(3).
    init(_ code: CURLcode, origin: String) {
        self.init(
            code: Self.code(code), curlCode: Int32(bitPattern: code.rawValue),
            message: "\(origin): \(Self.text(of: code))")
    }

    static func text(of code: CURLcode) -> String {
        curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }

    private static func code(_ code: CURLcode) -> Code {
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            .timedOut
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
            CURLE_PARTIAL_FILE:
            .connectionFailed
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            .invalidURL
        default:
            .other
        }
    }
}

internal import CCurl
internal import Configuration

/// How failures of the proxy are told from those of the server.
extension HTTPProxy {
    /// The error when the proxy could not be reached or opened no tunnel (`https://`); nil when the failure is not the proxy's.
    ///
    /// - Parameter connectStatus: the proxy's answer to CONNECT; 0 without one.
    func failure(_ code: CURLcode, connectStatus: Int, origin: String) -> HTTPClientError? {
        let problem: String
        if connectStatus != 0, !(200...299).contains(connectStatus) {
            problem = refusal(connectStatus)
        } else {
            switch code {
            // With a proxy, the proxy is what libcurl connects to.
            case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY:
                problem = "does not answer: \(HTTPClientError.text(of: code))"
            // Before the tunnel is open, TLS is the proxy's.
            case CURLE_SSL_CONNECT_ERROR where isEncrypted && connectStatus == 0,
                CURLE_PEER_FAILED_VERIFICATION where isEncrypted && connectStatus == 0:
                problem = "has TLS that is not accepted: \(HTTPClientError.text(of: code))"
            default: return nil
            }
        }
        return error(problem, origin: origin, curlCode: Int32(bitPattern: code.rawValue))
    }

    /// The error when the answer to a request in absolute form is the proxy's own; nil when it is the server's.
    ///
    /// 407, 502 and 504 are statuses of proxies and gateways (RFC 9110 sections 15.5.8, 15.6.3, 15.6.5): whoever sent them,
    /// the server that was asked did not answer. Other statuses are the proxy's where it says so: `Proxy-Status` with an
    /// error (RFC 9209 section 2.1.1), or `X-Squid-Error`.
    func failure(_ response: HTTPClientResponse, origin: String) -> HTTPClientError? {
        guard response.status >= 400 else { return nil }
        let saysSo =
            response.header("Proxy-Status")?.lowercased().contains("error=") == true
            || response.header("X-Squid-Error") != nil
        guard saysSo || [407, 502, 504].contains(response.status) else { return nil }
        return error(refusal(response.status), origin: origin, curlCode: 0)
    }

    private var isEncrypted: Bool { url.lowercased().hasPrefix("https://") }

    private func refusal(_ status: Int) -> String {
        switch (status, credentials) {
        case (407, nil): "answered 407: it asks for credentials, set \(HTTPClientSettings.credentials.key)"
        case (407, _?): "answered 407: it refused the credentials of \(HTTPClientSettings.credentials.key)"
        default: "answered \(status) itself: look at its log"
        }
    }

    private func error(_ problem: String, origin: String, curlCode: Int32) -> HTTPClientError {
        HTTPClientError(
            code: .connectionFailed, curlCode: curlCode,
            message: "\(origin): the proxy \(url) of \(HTTPClientSettings.proxy.key) \(problem)")
    }
}

internal import CCurl
internal import Configuration

/// Distinguishes proxy failures from server failures.
extension HTTPProxy {
    /// Returns the error if the proxy was unreachable or did not open a tunnel (for `https://`), or nil if the proxy
    /// did not cause the failure.
    ///
    /// - Parameter connectStatus: the status of the proxy's response to CONNECT, or 0 if there was none.
    func failure(_ code: CURLcode, connectStatus: Int, origin: String) -> HTTPClientError? {
        let problem: String
        if connectStatus != 0, !(200...299).contains(connectStatus) {
            problem = refusal(connectStatus)
        } else {
            switch code {
            // With a proxy, libcurl connects only to the proxy, so it is the proxy that is unreachable, not the server.
            case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY:
                problem = "is unreachable: \(HTTPClientError.text(of: code))"
            // Until the tunnel is open, TLS errors concern the proxy.
            case CURLE_SSL_CONNECT_ERROR where isEncrypted && connectStatus == 0,
                CURLE_PEER_FAILED_VERIFICATION where isEncrypted && connectStatus == 0:
                problem = "failed the TLS handshake: \(HTTPClientError.text(of: code))"
            default: return nil
            }
        }
        return error(problem, origin: origin, curlCode: Int32(bitPattern: code.rawValue))
    }

    /// Returns the error if the proxy itself responded to a request in absolute form, or nil if the server did.
    ///
    /// 407, 502 and 504 are sent by proxies and gateways (RFC 9110 sections 15.5.8, 15.6.3, 15.6.5), never by the
    /// requested server. Other statuses are attributed to the proxy if it identifies itself, either by `Proxy-Status`
    /// with an error (RFC 9209 section 2.1.1) or by `X-Squid-Error`.
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
        case (407, nil): "responded 407: it requires credentials; set \(HTTPClientSettings.credentials.key)"
        case (407, _?): "responded 407: it rejected the credentials from \(HTTPClientSettings.credentials.key)"
        default: "responded \(status) in place of the server: check the proxy's log"
        }
    }

    private func error(_ problem: String, origin: String, curlCode: Int32) -> HTTPClientError {
        HTTPClientError(
            code: .connectionFailed, curlCode: curlCode,
            message: "\(origin): the proxy \(url) from \(HTTPClientSettings.proxy.key) \(problem)")
    }
}

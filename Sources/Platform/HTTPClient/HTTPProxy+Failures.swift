internal import CCurl
internal import Configuration

/// How failures of the proxy are told from those of the server.
extension HTTPProxy {
    /// The error when the proxy could not be reached or opened no tunnel; nil when the failure is not the proxy's.
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

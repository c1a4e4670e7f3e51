internal import HTTPClient

/// An error response from the service.
struct S3Problem: Error {
    let status: Int
    /// The service's error code, such as `NoSuchKey`, or an empty string.
    let code: String
    /// Whether the service may have executed the request despite the error.
    let isAmbiguous: Bool

    init(status: Int, code: String, isAmbiguous: Bool) {
        self.status = status
        self.code = code
        self.isAmbiguous = isAmbiguous
    }

    /// - Parameter status: a status that replaces the response's, if the response contains an error despite a success
    ///   status.
    init(_ response: HTTPClientResponse, status: Int? = nil) {
        let status = status ?? response.status
        let found = XMLElement(document: response.body).flatMap { $0.name == "Error" ? $0.text("Code") : nil } ?? ""
        // Keep only letters and digits, because the code is printed.
        let word = String(found.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(60))
        self.init(status: status, code: word, isAmbiguous: status >= 500)
    }

    /// Whether a retry may succeed. Source: Amazon S3 API Reference, "Error responses".
    var isRetriable: Bool {
        switch status {
        case 408, 425, 429, 500, 502, 503, 504: true
        case 409: code == "ConditionalRequestConflict" || code == "OperationAborted"
        case 400: code == "RequestTimeout"
        default: false
        }
    }

    func error(_ action: String) -> ObjectStoreError {
        let (errorCode, fix) = meaning
        let reason = code.isEmpty ? "status \(status)" : "\(code) (status \(status))"
        return ObjectStoreError(errorCode, "cannot \(action): \(reason)" + (fix.map { "; \($0)" } ?? ""))
    }

    private var meaning: (ObjectStoreError.Code, String?) {
        switch code {
        case "NoSuchBucket": return (.noStore, "create the bucket, or correct the URL")
        case "RequestTimeTooSkewed": return (.denied, "correct this machine's clock")
        case "SignatureDoesNotMatch", "InvalidAccessKeyId", "ExpiredToken", "InvalidToken":
            return (.denied, "correct the credentials file")
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect":
            return (.failed, "the bucket is in a different region: correct the region and the endpoint")
        case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage":
            return (.full, "add capacity to the store or raise its quota")
        case "EntityTooLarge": return (.tooLarge, nil)
        case "NotImplemented":
            return (.failed, "the service must support conditional writes and checksums")
        default: break
        }
        switch status {
        case 401, 403: return (.denied, "grant the key permission to get, put, delete and list")
        case 301, 302, 307, 308:
            return (.failed, "the bucket is in a different region: correct the region and the endpoint")
        case 507: return (.full, "add capacity to the store or raise its quota")
        default: return isRetriable ? (.unavailable, nil) : (.failed, nil)
        }
    }
}

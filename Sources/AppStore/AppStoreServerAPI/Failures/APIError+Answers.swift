internal import HTTPClient
internal import JSON
internal import Primitives

extension APIError {
    /// Creates the failure for an unsuccessful response.
    ///
    /// - Parameters:
    ///   - token: the token to redact from the response text, because some proxies echo requests in their error pages.
    ///   - now: the current time, in milliseconds since 1970.
    init(_ response: HTTPClientResponse, token: BearerToken, now: Int64) {
        let error = ErrorBody(response.body)
        let code = error?.code
        let serverDate = response.header("Date").flatMap(HTTPDate.seconds).map { $0 * 1000 }
        let words = token.redacted(error?.message ?? ErrorBody.start(of: response.body))
        let status = response.status
        let (kind, isRetriable): (Kind, Bool) =
            switch status {
            case 401: (.unauthorized, false)
            case 429: (.rateLimited, true)
            // Apple sends a code with every refusal, except that of a malformed body (400). Any other 4xx without a
            // code comes from a proxy, so the request itself may be fine.
            case 400...499: (.refused, code?.isRetriable ?? (status != 400))
            case 500...599: (.server, true)
            // Redirects are not followed, because that would send the token elsewhere. Apple has not handled the
            // request.
            default: (.unreadable, true)
            }
        var failure = APIError(
            kind: kind, status: status, code: code, message: "the App Store Server API responded with status \(status)",
            isRetriable: isRetriable, fix: code?.fix, serverDate: serverDate)
        if !words.isEmpty { failure.message = PrintableText.bounded("\(failure.message): \(words)", to: 512) }
        switch kind {
        case .unauthorized: failure.fix = Self.causesOfUnauthorized(clockDifference: serverDate.map { now - $0 })
        case .rateLimited, .server: failure.retryAt = RetryAfter.moment(response.header("Retry-After"), now: now)
        case .refused where code == nil && status == 400:
            failure.fix = "compare the body with Apple's documentation for the endpoint"
        case .refused where code == nil, .unreadable:
            failure.fix = "check appstore.api.url and any proxy between this machine and Apple"
        default: break
        }
        self = failure
    }

    /// Creates the failure for a request that received no response. The HTTP client's messages contain only the scheme,
    /// host and port.
    init(_ error: HTTPClientError) {
        switch error.code {
        case .cancelled:
            self.init(kind: .cancelled, message: error.message, isRetriable: true)
        case .bodyTooLarge:
            self.init(kind: .unreadable, message: error.message, isRetriable: false)
        case .invalidURL, .invalidRequest:
            self.init(
                kind: .invalidRequest, message: error.message, isRetriable: false,
                fix: "check appstore.api.url and appstore.api.sandbox.url")
        case .tls:
            self.init(
                kind: .noAnswer, message: error.message, isRetriable: true,
                fix: "check this machine's root certificates and clock, and any proxy that intercepts TLS")
        default:
            self.init(kind: .noAnswer, message: error.message, isRetriable: true)
        }
    }

    /// Returns the possible causes of a 401, which Apple sends without a code.
    ///
    /// - Parameter clockDifference: this machine's clock minus Apple's, in milliseconds.
    static func causesOfUnauthorized(clockDifference: Int64?) -> String {
        var causes: [String] = []
        if let clockDifference, clockDifference.magnitude >= 30_000 {
            causes.append("this machine's clock differs from Apple's by \(clockDifference / 1000) s: correct it")
        }
        causes += [
            "the key id does not match the key file", "the issuer id does not match the account",
            "the key was revoked in App Store Connect, or is not an In-App Purchase key",
            "the bundle id does not belong to the key's account, or the app has no released version yet",
        ]
        if clockDifference == nil { causes.append("this machine's clock is wrong") }
        return "one of: " + causes.joined(separator: "; ")
    }
}

/// The members of an error body, such as `{"errorCode": 4040010, "errorMessage": "…"}`.
private struct ErrorBody {
    let code: APIErrorCode?
    let message: String?

    /// Parses the body, or returns nil if it is not a JSON object.
    init?(_ body: [UInt8]) {
        guard let document = try? JSONDocument.object(body, maximumNames: JSONDocument.maximumUntrustedNames) else {
            return nil
        }
        let number = document.root["errorCode"]
        code = (number?.integer ?? number?.string.flatMap { Int64($0) }).map { APIErrorCode($0) }
        message = document.root["errorMessage"]?.string
    }

    /// Returns the beginning of a body that is not JSON, such as a proxy's error page.
    static func start(of body: [UInt8]) -> String { String(decoding: body.prefix(2048), as: UTF8.self) }
}

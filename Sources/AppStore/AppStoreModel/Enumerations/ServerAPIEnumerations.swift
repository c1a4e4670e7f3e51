/// Whether an order id is valid (Look Up Order ID).
public struct OrderLookupStatus: OpenEnumeration {
    public var rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let valid = OrderLookupStatus(0)
    public static let invalid = OrderLookupStatus(1)

    public static let known: Set<OrderLookupStatus> = [
        .valid, .invalid,
    ]
}

/// What came of one attempt to send a notification (Get Notification History).
public struct SendAttemptResult: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let success = SendAttemptResult("SUCCESS")
    public static let timedOut = SendAttemptResult("TIMED_OUT")
    public static let tlsIssue = SendAttemptResult("TLS_ISSUE")
    public static let circularRedirect = SendAttemptResult("CIRCULAR_REDIRECT")
    public static let noResponse = SendAttemptResult("NO_RESPONSE")
    public static let socketIssue = SendAttemptResult("SOCKET_ISSUE")
    public static let unsupportedCharset = SendAttemptResult("UNSUPPORTED_CHARSET")
    public static let invalidResponse = SendAttemptResult("INVALID_RESPONSE")
    public static let prematureClose = SendAttemptResult("PREMATURE_CLOSE")
    public static let unsuccessfulHttpResponseCode = SendAttemptResult("UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    public static let other = SendAttemptResult("OTHER")
    /// The old name of `TLS_ISSUE`.
    public static let sslIssue = SendAttemptResult("SSL_ISSUE")

    public static let known: Set<SendAttemptResult> = [
        .success, .timedOut, .tlsIssue, .circularRedirect, .noResponse, .socketIssue, .unsupportedCharset,
        .invalidResponse, .prematureClose, .unsuccessfulHttpResponseCode, .other, .sslIssue,
    ]
}

/// Why a renewal date is extended.
public struct ExtendReasonCode: OpenEnumeration {
    public var rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let undeclared = ExtendReasonCode(0)
    public static let customerSatisfaction = ExtendReasonCode(1)
    public static let other = ExtendReasonCode(2)
    public static let serviceIssueOrOutage = ExtendReasonCode(3)

    public static let known: Set<ExtendReasonCode> = [
        .undeclared, .customerSatisfaction, .other, .serviceIssueOrOutage,
    ]
}

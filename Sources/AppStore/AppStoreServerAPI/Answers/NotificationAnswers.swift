package import AppStoreModel

/// One page of Get Notification History, as sent by Apple. The signed objects have not been verified yet.
package struct NotificationHistoryAnswer: APIAnswer {
    package let paginationToken: String?
    package let hasMore: Bool
    package let notificationHistory: [Item]

    package struct Item: APIAnswer {
        package let signedPayload: String
        package let sendAttempts: [SendAttempt]

        package init(reading members: inout AnswerReader) throws(AnswerError) {
            signedPayload = try members.requiredString("signedPayload")
            sendAttempts = try members.objects("sendAttempts")
        }
    }

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        paginationToken = members.string("paginationToken")
        hasMore = try members.requiredBool("hasMore")
        notificationHistory = try members.objects("notificationHistory")
    }
}

/// One of Apple's attempts to deliver a notification.
package struct SendAttempt: APIAnswer {
    package let attemptDate: AppStoreInstant?
    package let result: SendAttemptResult?

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        attemptDate = members.instant("attemptDate")
        result = members.enumeration("sendAttemptResult")
    }
}

/// The outcome of a delivery attempt, as seen by Apple's server. Apple: sendAttemptResult.
package struct SendAttemptResult: OpenEnumeration {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let success = SendAttemptResult("SUCCESS")
    package static let timedOut = SendAttemptResult("TIMED_OUT")
    package static let tlsIssue = SendAttemptResult("TLS_ISSUE")
    package static let circularRedirect = SendAttemptResult("CIRCULAR_REDIRECT")
    package static let noResponse = SendAttemptResult("NO_RESPONSE")
    package static let socketIssue = SendAttemptResult("SOCKET_ISSUE")
    package static let unsupportedCharset = SendAttemptResult("UNSUPPORTED_CHARSET")
    package static let invalidResponse = SendAttemptResult("INVALID_RESPONSE")
    package static let prematureClose = SendAttemptResult("PREMATURE_CLOSE")
    package static let unsuccessfulHTTPResponseCode = SendAttemptResult("UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    package static let other = SendAttemptResult("OTHER")

    package static let known: Set<SendAttemptResult> = [
        .success, .timedOut, .tlsIssue, .circularRedirect, .noResponse, .socketIssue, .unsupportedCharset,
        .invalidResponse, .prematureClose, .unsuccessfulHTTPResponseCode, .other,
    ]
}

/// The response to Request a Test Notification.
package struct TestNotificationAnswer: APIAnswer {
    package let testNotificationToken: TestNotificationToken

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        testNotificationToken = try members.required("testNotificationToken") {
            $0.identifier("testNotificationToken")
        }
    }
}

/// The response to Get Test Notification Status, as sent by Apple. The signed object has not been verified yet.
package struct TestNotificationStatusAnswer: APIAnswer {
    package let signedPayload: String
    package let sendAttempts: [SendAttempt]

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        signedPayload = try members.requiredString("signedPayload")
        sendAttempts = try members.objects("sendAttempts")
    }
}

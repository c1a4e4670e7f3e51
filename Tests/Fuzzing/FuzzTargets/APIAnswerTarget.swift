import AppStoreServerAPI

extension FuzzTarget {
    /// Parses a body as each response type of the App Store Server API, and as the text of `Retry-After`. The result is
    /// a response, or a failure with a short printable text and a wait of at most one hour.
    static let apiAnswer = FuzzTarget(
        "api-answer", seeds: apiAnswerSeeds,
        tokens: [
            "\"hasMore\":true", "\"revision\":\"r\"", "\"signedTransactions\":[\"a\"]", "\"data\":[{}]",
            "\"lastTransactions\":[]", "\"status\":1", "\"notificationHistory\":[]", "\"sendAttempts\":[{}]",
            "\"attemptDate\":1", "null", "{}", "1e400", "\"\"", "1800000000000", " GMT",
        ],
        maximumBytes: 2048
    ) { bytes throws(Violation) in
        try check(bytes, TransactionInfoAnswer.self)
        try check(bytes, AppTransactionInfoAnswer.self)
        try check(bytes, TransactionHistoryAnswer.self)
        try check(bytes, OrderLookupAnswer.self)
        try check(bytes, SubscriptionStatusesAnswer.self)
        try check(bytes, NotificationHistoryAnswer.self)
        try check(bytes, TestNotificationAnswer.self)
        try check(bytes, TestNotificationStatusAnswer.self)
        try check(bytes, RenewalDateExtension.self)
        try check(bytes, MassExtension.self)
        try check(bytes, MassExtensionStatus.self)
        let now: Int64 = 1_800_000_000_000
        if let moment = RetryAfter.moment(String(decoding: bytes, as: UTF8.self), now: now) {
            try hold((now...now + RetryAfter.longest).contains(moment), "a wait until \(moment)")
        }
    }

    private static func check<Answer: APIAnswer>(_ bytes: [UInt8], _ type: Answer.Type) throws(Violation) {
        switch read(bytes, type) {
        case .success(let answer):
            guard case .success(answer) = read(bytes, type) else {
                throw Violation("\(type) parses the same bytes in two ways")
            }
        case .failure(let failure):
            try hold(failure.kind == .unreadable, "\(type): \(failure.kind)")
            try hold(failure.message.utf8.count <= 512, "\(type): a message of \(failure.message.utf8.count) bytes")
            try hold(
                failure.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F },
                "\(type): a control character")
        }
    }

    private static func read<Answer: APIAnswer>(_ bytes: [UInt8], _ type: Answer.Type) -> Result<Answer, APIError> {
        Result { () throws(APIError) in try AnswerReader.read(bytes, of: .getTransactionInfo) }
    }

    private static let apiAnswerSeeds: [[UInt8]] = [
        #"{"signedTransactionInfo":"a.b.c"}"#, #"{"signedAppTransactionInfo":"a.b.c"}"#,
        #"{"revision":"r","hasMore":true,"appAppleId":1,"environment":"Sandbox","signedTransactions":["a"]}"#,
        #"{"status":0,"signedTransactions":["a"]}"#,
        #"{"data":[{"lastTransactions":[{"status":1,"signedTransactionInfo":"a","signedRenewalInfo":"b"}]}]}"#,
        #"{"paginationToken":"t","hasMore":false,"notificationHistory":[{"signedPayload":"a","sendAttempts":[]}]}"#,
        #"{"testNotificationToken":"t"}"#,
        #"{"signedPayload":"a","sendAttempts":[{"attemptDate":1698148900000.5,"sendAttemptResult":"SUCCESS"}]}"#,
        #"{"originalTransactionId":"1","webOrderLineItemId":"2","success":true,"effectiveDate":1}"#,
        #"{"requestIdentifier":"r","complete":true,"completeDate":1,"succeededCount":1,"failedCount":0}"#,
        "1800000060000", "60", "Fri, 15 Jan 2027 08:01:00 GMT",
    ].map { Array($0.utf8) }
}

package import AppStoreModel

/// The response to Extend a Subscription Renewal Date. Apple: ExtendRenewalDateResponse.
package struct RenewalDateExtension: APIAnswer {
    package let originalTransactionId: OriginalTransactionId?
    package let webOrderLineItemId: WebOrderLineItemId?
    package let success: Bool
    /// The new expiration date.
    package let effectiveDate: AppStoreInstant?

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        originalTransactionId = members.identifier("originalTransactionId")
        webOrderLineItemId = members.identifier("webOrderLineItemId")
        success = try members.requiredBool("success")
        effectiveDate = members.instant("effectiveDate")
    }
}

/// The response to Extend Subscription Renewal Dates for All Active Subscribers.
package struct MassExtension: APIAnswer {
    package let requestIdentifier: RequestIdentifier

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        requestIdentifier = try members.required("requestIdentifier") { $0.identifier("requestIdentifier") }
    }
}

/// The response to Get Status of Subscription Renewal Date Extensions.
package struct MassExtensionStatus: APIAnswer {
    package let requestIdentifier: RequestIdentifier?
    package let complete: Bool
    package let completeDate: AppStoreInstant?
    /// The number of subscriptions extended. Like `failedCount`, it is absent until the request is complete.
    package let succeededCount: Int64?
    package let failedCount: Int64?

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        requestIdentifier = members.identifier("requestIdentifier")
        complete = try members.requiredBool("complete")
        completeDate = members.instant("completeDate")
        succeededCount = members.integer("succeededCount")
        failedCount = members.integer("failedCount")
    }
}

package import AppStoreModel

/// The response to Get All Subscription Statuses, as sent by Apple. The signed objects have not been verified yet.
/// Apple: StatusResponse.
package struct SubscriptionStatusesAnswer: APIAnswer {
    package struct Group: APIAnswer {
        package let subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
        package let lastTransactions: [Item]

        package init(reading members: inout AnswerReader) throws(AnswerError) {
            subscriptionGroupIdentifier = members.identifier("subscriptionGroupIdentifier")
            lastTransactions = try members.objects("lastTransactions")
        }
    }

    package struct Item: APIAnswer {
        package let status: SubscriptionStatus
        package let originalTransactionId: OriginalTransactionId?
        package let signedTransactionInfo: String
        package let signedRenewalInfo: String?
        /// The item, exactly as in the response.
        package let bytes: [UInt8]

        package init(reading members: inout AnswerReader) throws(AnswerError) {
            status = try members.required("status") { $0.enumeration("status") }
            originalTransactionId = members.identifier("originalTransactionId")
            signedTransactionInfo = try members.requiredString("signedTransactionInfo")
            signedRenewalInfo = members.string("signedRenewalInfo")
            bytes = members.bytes
        }
    }

    package let environment: AppStoreEnvironment?
    package let bundleId: BundleId?
    package let appAppleId: AppAppleId?
    package let data: [Group]

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        environment = members.enumeration("environment")
        bundleId = members.identifier("bundleId")
        appAppleId = members.integer("appAppleId").map { AppAppleId($0) }
        data = try members.objects("data")
    }
}

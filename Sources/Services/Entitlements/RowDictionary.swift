/// The dictionary for compressing stored rows: text that most rows have in common, ending with the most common. When
/// the dictionary changes, a member rereads all rows from the topics.
enum RowDictionary {
    static let content = Array(
        #"""
        "upgrades":[["legacy":{"ended":{"trust":"shared-secret","renewalOrder":[[17"revocationDate":17"revocationReason":0\#
        "expirationIntent":1,"gracePeriodExpiresDate":17"isInBillingRetryPeriod":true"priceIncreaseStatus":1,\#
        "offerType":1,"offerIdentifier":"offerDiscountType":"FREE_TRIAL","webOrderLineItemId":"isUpgraded":true\#
        "environment":"Sandbox","type":"Non-Renewing Subscription","type":"Non-Consumable","type":"Consumable",\#
        "inAppOwnershipType":"FAMILY_SHARED","storefront":"GBR","currency":"EUR","currency":"GBP","transactionReason":"RENEWAL"\#
        ["ONE_TIME_CHARGE"],["CONSUMPTION_REQUEST"],["REFUND_DECLINED"],["REFUND_REVERSED"],["REFUND"],["REVOKE"],\#
        ["OFFER_REDEEMED"],["PRICE_INCREASE","ACCEPTED"],["GRACE_PERIOD_EXPIRED"],["DID_FAIL_TO_RENEW","GRACE_PERIOD"],\#
        ["DID_CHANGE_RENEWAL_PREF","UPGRADE"],["EXPIRED","BILLING_RETRY"],["EXPIRED","VOLUNTARY"],\#
        ["DID_CHANGE_RENEWAL_STATUS","AUTO_RENEW_ENABLED"],["DID_CHANGE_RENEWAL_STATUS","AUTO_RENEW_DISABLED"],\#
        ["SUBSCRIBED","RESUBSCRIBE"],["DID_RENEW","BILLING_RECOVERY"],["DID_RENEW"],\#
        {"formatVersion":2,"environment":"Production","bundleId":"com.","originalTransactionId":"2000000",\#
        "latestTransaction":{"transactionId":"2000000","productId":"com.","type":"Auto-Renewable Subscription",\#
        "subscriptionGroupIdentifier":"2","purchaseDate":17,"expiresDate":17,"quantity":1,\#
        "inAppOwnershipType":"PURCHASED","appAccountToken":"","appTransactionId":"70","transactionReason":"PURCHASE",\#
        "storefront":"USA","originalPurchaseDate":17,"price":9990,"currency":"USD","signedDate":17,\#
        "notificationUUID":""},"renewalInfo":{"productId":"","autoRenewProductId":"com.","autoRenewStatus":1,\#
        "renewalDate":17,"renewalPrice":9990,"currency":"USD","recentSubscriptionStartDate":17,"appAccountToken":"",\#
        "appTransactionId":"70","signedDate":17,"notificationUUID":""},"status":{"status":1,"signedDate":17,\#
        "notificationUUID":""},"namedAccount":{"appAccountToken":"","claimedAt":17},"traits":[{"productId":"com.",\#
        "type":"Auto-Renewable Subscription","quantity":1,"inAppOwnershipType":"PURCHASED","appAccountToken":"",\#
        "appTransactionId":"70","originalPurchaseDate":17,"price":9990,"currency":"USD"}],"transactions":"B\#
        "bought":[[17,17]],"eventKinds":[["SUBSCRIBED","INITIAL_BUY"]],"events":"A."}
        """#.utf8)
}

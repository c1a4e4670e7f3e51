import AppStoreModel
import JSON
import LegacyNotifications
import Testing

@Suite("Sources of the version 2 fields") struct LegacyFieldTests {
    private static let rich = transaction(
        "101", yearly, bought: day, expires: 366 * day,
        with: [
            "app_account_token": "7E3FB204-2D5B-4A5C-8F1E-000000000001", "quantity": "3",
            "in_app_ownership_type": "FAMILY_SHARED", "purchase_date": "2020-01-01 00:00:00 Etc/GMT",
            "purchase_date_pst": "2020-01-01 00:00:00 America/Los_Angeles",
        ])

    @Test func `a transaction has all fields of its receipt entry`() throws {
        let notification = try LegacyDraft("DID_RENEW", [Self.rich], [renewal("1", yearly)]).read()
        let payload = try #require(try notification.transactionPayload)
        #expect(payload.fieldProblems.isEmpty)
        #expect(payload.transactionId?.rawValue == "101")
        #expect(payload.originalTransactionId?.rawValue == "100")
        #expect(payload.webOrderLineItemId?.rawValue == "9101")
        #expect(payload.bundleId == app)
        #expect(payload.productId?.rawValue == yearly)
        #expect(payload.type == .autoRenewableSubscription)
        #expect(payload.subscriptionGroupIdentifier?.rawValue == "20497362")
        #expect(payload.purchaseDate == at(day))
        #expect(payload.originalPurchaseDate == at(0))
        #expect(payload.expiresDate == at(366 * day))
        #expect(payload.quantity == 3)
        #expect(payload.inAppOwnershipType == .familyShared)
        #expect(payload.appAccountToken == AppAccountToken("7e3fb204-2d5b-4a5c-8f1e-000000000001"))
        #expect(payload.environment == .production)
        #expect(payload.signedDate == notification.eventTime)
    }

    @Test func `fields without a source are absent`() throws {
        let notification = try LegacyDraft("DID_RENEW", [Self.rich], [renewal("1", yearly)]).read()
        let payload = try #require(try notification.transactionPayload)
        #expect(payload.price == nil && payload.currency == nil && payload.storefront == nil)
        #expect(payload.transactionReason == nil && payload.appTransactionId == nil)
        #expect(payload.revocationDate == nil && payload.revocationType == nil && payload.isUpgraded == nil)
        #expect(payload.offerType == nil && payload.offerIdentifier == nil)
        #expect(try notification.payload.data?.consumptionRequestReason == nil)
        #expect(payload.unknownFields.isEmpty)
    }

    @Test func `a purchase without expiry has no product type, status or renewal info`() throws {
        let notification = try LegacyDraft(
            "CONSUMPTION_REQUEST", [transaction("100", "coins", expires: nil)], [], ["auto_renew_status": "true"]
        ).read()
        #expect(try notification.transactionPayload?.type == nil)
        #expect(notification.renewalInfo == nil)
        #expect(try notification.status == nil)
    }

    @Test func `absent ownership means purchased`() throws {
        let notification = try LegacyDraft(
            "DID_RENEW", [transaction("100").without("in_app_ownership_type")]
        ).read()
        #expect(try notification.transactionPayload?.inAppOwnershipType == .purchased)
    }

    @Test func `the notification contains its app, environment and version`() throws {
        let notification = try LegacyDraft("DID_RENEW", [Self.rich], [renewal("1", yearly)]).read()
        let payload = try notification.payload
        #expect(payload.notificationUUID?.rawValue == notification.eventId)
        #expect(payload.signedDate == notification.eventTime)
        #expect(payload.data?.bundleId == app)
        #expect(payload.data?.bundleVersion == "42")
        #expect(payload.data?.signedTransactionInfo == "" && payload.data?.signedRenewalInfo == "")
        #expect(payload.fieldProblems.isEmpty)
    }

    // MARK: Cancellation

    private static let cancelled: JSONObject = ["cancellation_date_ms": text(at: 5 * day), "cancellation_reason": "1"]

    @Test(arguments: ["REFUND", "CANCEL"]) func `a refund is treated as a full refund`(type: String) throws {
        let notification = try LegacyDraft(type, [transaction("100", with: Self.cancelled)]).read()
        let payload = try #require(try notification.transactionPayload)
        #expect(payload.revocationDate == at(5 * day))
        #expect(payload.revocationReason == .issueInApp)
        #expect(payload.revocationType == .refundFull)
        #expect(payload.revocationPercentage == 100_000)
        #expect(payload.isUpgraded == nil)
        #expect(notification.eventTime == at(5 * day))
    }

    @Test func `the end of family sharing is not a refund`() throws {
        let payload = try #require(
            try LegacyDraft("REVOKE", [transaction("100", with: Self.cancelled)]).read().transactionPayload)
        #expect(payload.revocationDate == at(5 * day))
        #expect(payload.revocationType == .familyRevoke)
        #expect(payload.revocationPercentage == nil)
    }

    @Test func `notifications of other types include an earlier cancellation of the transaction`() throws {
        let payload = try #require(
            try LegacyDraft("DID_CHANGE_RENEWAL_STATUS", [transaction("100", with: Self.cancelled)], [renewal("0")])
                .read().transactionPayload)
        #expect(payload.revocationDate == at(5 * day))
        #expect(payload.revocationType == nil)
    }

    @Test(arguments: ["CANCEL", "DID_RENEW"])
    func `a transaction replaced by an upgrade is not revoked`(type: String) throws {
        let subject = transaction("100", with: Self.cancelled + ["is_upgraded": "true"])
        let notification = try LegacyDraft(type, [subject]).read()
        let payload = try #require(try notification.transactionPayload)
        #expect(payload.isUpgraded == true)
        #expect(payload.revocationDate == nil && payload.revocationReason == nil && payload.revocationType == nil)
        #expect(try notification.status == .active)
    }

    @Test func `a cancellation explained by a newer transaction is not a refund`() throws {
        let notification = try LegacyDraft(
            "CANCEL",
            [
                transaction("100", with: Self.cancelled),
                transaction("101", yearly, bought: 5 * day, expires: 370 * day),
            ]
        ).read()
        let payload = try #require(try notification.transactionPayload)
        #expect(payload.transactionId?.rawValue == "100")
        #expect(payload.isUpgraded == true)
        #expect(payload.revocationDate == nil)
    }

    // MARK: Offers

    @Test(arguments: [
        OfferCase("promotional", ["promotional_offer_id": "winter"], .promotional, "winter", nil),
        OfferCase("offer code", ["offer_code_ref_name": "fair"], .offerCode, "fair", nil),
        OfferCase("introductory price", ["is_in_intro_offer_period": "true"], .introductory, nil, nil),
        OfferCase("free trial", ["is_trial_period": "true"], .introductory, nil, .freeTrial),
        OfferCase(
            "free trial by an offer code", ["is_trial_period": "true", "offer_code_ref_name": "fair"], .offerCode,
            "fair", .freeTrial),
        OfferCase(
            "promotional offer over offer code", ["promotional_offer_id": "winter", "offer_code_ref_name": "fair"],
            .promotional, "winter", nil),
    ])
    func `an offer is taken from the transaction`(row: OfferCase) throws {
        let payload = try #require(
            try LegacyDraft("DID_RENEW", [transaction("100", with: row.fields)]).read().transactionPayload)
        #expect(payload.offerType == row.type)
        #expect(payload.offerIdentifier == row.identifier)
        #expect(payload.offerDiscountType == row.discount)
    }

    // MARK: Renewal

    @Test func `renewal info has all fields of the pending renewal`() throws {
        let pending = renewal(
            "0", yearly, next: monthly,
            with: [
                "expiration_intent": "2", "is_in_billing_retry_period": "1",
                "grace_period_expires_date_ms": text(at: 400 * day), "price_consent_status": "0",
                "promotional_offer_id": "winter",
            ])
        let notification = try LegacyDraft(
            "DID_RENEW", [Self.rich], [renewal("1", "other", of: "200"), pending],
            ["auto_renew_status": "true", "auto_renew_product_id": "other", "expiration_intent": 5]
        ).read()
        let payload = try #require(try notification.renewalPayload)
        #expect(payload.fieldProblems.isEmpty && payload.unknownFields.isEmpty)
        #expect(payload.originalTransactionId?.rawValue == "100")
        #expect(payload.productId?.rawValue == yearly)
        #expect(payload.autoRenewProductId?.rawValue == monthly)
        #expect(payload.autoRenewStatus == .off)
        #expect(payload.expirationIntent == .billingError)
        #expect(payload.isInBillingRetryPeriod == true)
        #expect(payload.gracePeriodExpiresDate == at(400 * day))
        #expect(payload.priceIncreaseStatus == .notAnswered)
        #expect(payload.offerType == .promotional)
        #expect(payload.offerIdentifier == "winter")
        #expect(payload.environment == .production)
        #expect(payload.signedDate == notification.eventTime)
    }

    @Test func `fields absent from the pending renewal are taken from the top level of the body`() throws {
        let notification = try LegacyDraft(
            "DID_CHANGE_RENEWAL_STATUS", [transaction("100")], [],
            ["auto_renew_status": "false", "auto_renew_product_id": "basic", "expiration_intent": 1]
        ).read()
        let payload = try #require(try notification.renewalPayload)
        #expect(payload.autoRenewStatus == .off)
        #expect(payload.autoRenewProductId?.rawValue == "basic")
        #expect(payload.expirationIntent == .customerCancelled)
        #expect(payload.productId?.rawValue == monthly)
        #expect(payload.isInBillingRetryPeriod == nil)
    }

    @Test func `among several renewals of a group, the renewal of the subject's product is used`() throws {
        let notification = try LegacyDraft(
            "DID_RENEW", [transaction("100")], [renewal("0", yearly), renewal("1", monthly)]
        ).read()
        #expect(try notification.renewalPayload?.autoRenewStatus == .on)
    }

    // MARK: Status updates

    @Test func `a status update's receipt provides the same fields`() throws {
        let notification = try LegacyDraft(
            oldest: "DID_CHANGE_RENEWAL_STATUS", latest: receipt("101", bought: month, expires: 2 * month),
            [
                "auto_renew_status": "true", "expiration_intent": "1",
                "auto_renew_status_change_date_ms": text(at: month + day),
            ]
        ).read()
        let payload = try #require(try notification.transactionPayload)
        #expect(payload.transactionId?.rawValue == "101")
        #expect(payload.expiresDate == at(2 * month))
        #expect(payload.type == .autoRenewableSubscription)
        #expect(payload.inAppOwnershipType == .purchased)
        #expect(payload.appAccountToken == nil && payload.isUpgraded == nil)
        #expect(try notification.renewalPayload?.autoRenewStatus == .on)
        // The field explains the end of the earlier period.
        #expect(try notification.renewalPayload?.expirationIntent == nil)
        #expect(try notification.renewalPayload?.gracePeriodExpiresDate == nil)
        #expect(try notification.status == .active)
        #expect(try notification.payload.data?.bundleVersion == "7")
    }

    @Test func `a status update states why a subscription ended only while renewal is off`() throws {
        for (status, intent) in [("false", ExpirationIntent.billingError), ("true", nil), (nil, nil)] {
            var further: JSONObject = ["expiration_intent": "2"]
            further["auto_renew_status"] = status.map { .string($0) }
            let notification = try LegacyDraft(
                oldest: "RENEWAL", latest: receipt("101", bought: month, expires: 2 * month), further
            ).read()
            #expect(try notification.renewalPayload?.expirationIntent == intent, "\(status ?? "absent")")
        }
    }

    @Test func `a grace date is used only while Apple retries`() throws {
        for (retry, expected) in [("1", at(400 * day)), ("0", nil)] {
            let pending = renewal(with: [
                "is_in_billing_retry_period": .string(retry), "grace_period_expires_date_ms": text(at: 400 * day),
            ])
            let notification = try LegacyDraft("DID_FAIL_TO_RENEW", [transaction("100")], [pending]).read()
            #expect(try notification.renewalPayload?.gracePeriodExpiresDate == expected)
        }
    }

    @Test func `the Apple id of the next product remains in the body as received`() throws {
        let legacy = try LegacyDraft(oldest: "RENEWAL", latest: receipt("101")).read().legacy
        #expect(try JSONValue(json: legacy).object?["auto_renew_adam_id"] == "1500000001")
    }

    @Test func `the cancellation date of a status update is read outside its receipt`() throws {
        let notification = try LegacyDraft(
            oldest: "CANCEL", expired: receipt("100"), ["cancellation_date": "2026-09-25 10:26:40 Etc/GMT"]
        ).read()
        #expect(try notification.transactionPayload?.revocationDate == at(5 * day))
        #expect(try notification.transactionPayload?.revocationType == .refundFull)
        #expect(try notification.status == .revoked)
        #expect(notification.eventTime == at(5 * day))
    }
}

/// The fields of a transaction, and the offer that they indicate.
struct OfferCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fields: JSONObject
    let type: OfferType
    let identifier: String?
    let discount: OfferDiscountType?

    init(
        _ name: String, _ fields: JSONObject, _ type: OfferType, _ identifier: String?, _ discount: OfferDiscountType?
    ) {
        testDescription = name
        self.fields = fields
        self.type = type
        self.identifier = identifier
        self.discount = discount
    }
}

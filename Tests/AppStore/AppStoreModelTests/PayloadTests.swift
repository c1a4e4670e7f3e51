import AppStoreModel
import JSON
import TestSupport
import Testing

@Suite("Payloads") struct PayloadTests {
    @Test func `a field of the wrong type is reported and does not affect other fields`() throws {
        let text = #"""
            {"transactionId":5,"originalTransactionId":"1","quantity":2147483648,"price":1.5,"purchaseDate":1e300,
             "isUpgraded":"yes","advancedCommerceInfo":{"items":[1,{"SKU":"s","price":"x"}]},"commitmentInfo":[],
             "expiresDate":1697679936049.7297,"currency":null,"newField":{"a":[1]},"type":"Subscription Box"}
            """#
        let transaction = try TransactionPayload(json: Array(text.utf8))
        #expect(
            Set(transaction.fieldProblems.map(\.description)) == [
                "transactionId: not a valid string", "quantity: not a valid int32", "price: not a valid int64",
                "purchaseDate: not a valid date", "isUpgraded: not a valid bool",
                "advancedCommerceInfo.items.0: not a valid object",
                "advancedCommerceInfo.items.1.price: not a valid int64", "commitmentInfo: not a valid object",
            ])
        #expect(transaction.originalTransactionId == OriginalTransactionId("1"))
        #expect(transaction.expiresDate?.millisecondsSince1970 == 1_697_679_936_049)
        #expect(transaction.advancedCommerceInfo?.items?.map(\.sku) == ["s"])
        #expect(transaction.unknownFields["newField"] == ["a": [1]])
        #expect(transaction.unknownFields.names == ["newField"])
        #expect(transaction.type == ProductType("Subscription Box"))
        #expect(transaction.type?.isKnown == false)
    }

    @Test func `unknown values and fields are preserved at every level`() throws {
        let text = #"""
            {"notificationType":"SOMETHING_NEW","subtype":"NEWER","notificationUUID":"u","extra":1,
             "data":{"status":9,"newer":"x","consumptionRequestReason":"BORED"}}
            """#
        let notification = try NotificationPayload(json: Array(text.utf8))
        #expect(notification.notificationType?.rawValue == "SOMETHING_NEW")
        #expect(notification.notificationType?.isKnown == false)
        #expect(notification.unknownFields["extra"] == 1)
        #expect(notification.data?.status == SubscriptionStatus(9))
        #expect(notification.data?.unknownFields["newer"] == "x")
        #expect(notification.fieldProblems.isEmpty)
    }

    @Test func `multiseat fields are parsed`() throws {
        let text = #"""
            {"additionalTransactionReason":"SEAT_ADDITION","inAppOwnershipType":"ASSIGNED","quantity":4,
             "revocationType":"ASSIGNMENT_REVOKE","multiSeatInfo":{"invitationManagement":"APPLE",
             "revokedSeatQuantity":2,"priceTiers":[{"price":1990,"quantity":3}]}}
            """#
        let transaction = try TransactionPayload(json: Array(text.utf8))
        #expect(transaction.additionalTransactionReason == .seatAddition)
        #expect(transaction.inAppOwnershipType == .assigned)
        #expect(transaction.multiSeatInfo?.revokedSeatQuantity == 2)
        #expect(transaction.multiSeatInfo?.priceTiers?.first?.unknownFields["price"] == 1990)
    }

    @Test func `a payload that is not an object is rejected`() {
        #expect(throws: JSONError(.notAnObject, at: 0)) { try TransactionPayload(json: Array("[]".utf8)) }
    }

    @Test func `account tokens are compared case-insensitively`() {
        #expect(AppAccountToken("7E3FB20B-4CDB-47CC-936D-99D65F608138").isWellFormed)
        #expect(AppAccountToken("7E3FB20B") == AppAccountToken("7e3fb20b"))
        #expect(!NotificationUUID("7e3fb20b-4cdb-47cc-936d-99d65f60813g").isWellFormed)
        #expect(!NotificationUUID("7e3fb20b4cdb-47cc-936d-99d65f608138-").isWellFormed)
    }

    @Test func `seats that the App Store unassigned are parsed`() throws {
        let payload = try NotificationPayload(
            json: Array(
                #"""
                {"notificationType":"UNCLAIM_SEATS","unclaimInfo":{"bundleId":"com.example.app","appAppleId":1234567890,
                 "environment":"Sandbox","unclaimSeatIds":["u1","u2"],"new":true}}
                """#.utf8))
        let seats = try #require(payload.unclaimInfo)
        #expect(payload.notificationType == .unclaimSeats)
        #expect(payload.notificationType?.isKnown == true)
        #expect(seats.unclaimSeatIds == ["u1", "u2"])
        #expect(seats.bundleId == BundleId("com.example.app"))
        #expect(seats.environment == .sandbox)
        #expect(seats.unknownFields["new"] == true)
        #expect(payload.unknownFields.isEmpty)
    }

    @Test func `every documented type and subtype is known`() {
        #expect(NotificationType.known.count == 24)
        #expect(Subtype.known.count == 22)
        #expect(NotificationType("PRICE_INCREASE").isKnown && Subtype("PRICE_INCREASE").isKnown)
        #expect(ProductType.autoRenewableSubscription.rawValue == "Auto-Renewable Subscription")
    }
}

@Suite("Payloads of Apple's libraries", .enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
struct PayloadVectorTests {
    private func instant(_ milliseconds: Int64) -> AppStoreInstant? {
        AppStoreInstant(millisecondsSince1970: milliseconds)
    }

    @Test func `a notification is parsed completely`() throws {
        let payload = try NotificationPayload(json: TestVectors.bytes("models/signedNotification.json"))
        #expect(payload.notificationType == .subscribed)
        #expect(payload.subtype == .initialBuy)
        #expect(payload.notificationUUID == NotificationUUID("002e14d5-51f5-4503-b5a8-c3a1af68eb20"))
        #expect(payload.version == "2.0")
        #expect(payload.signedDate == instant(1_698_148_900_000))
        let data = try #require(payload.data)
        #expect(data.environment == .localTesting)
        #expect(data.appAppleId == AppAppleId(41234))
        #expect(data.bundleId == BundleId("com.example"))
        #expect(data.bundleVersion == "1.2.3")
        #expect(data.status == .active)
        #expect(data.consumptionRequestReason == nil)
        #expect(data.signedTransactionInfo == "signed_transaction_info_value")
        #expect(payload.summary == nil && payload.externalPurchaseToken == nil && payload.appData == nil)
        #expect(payload.fieldProblems.isEmpty && payload.unknownFields.isEmpty)
    }

    @Test func `a consumption request and an external purchase token are parsed`() throws {
        let request = try NotificationPayload(
            json: TestVectors.bytes("models/signedConsumptionRequestNotification.json"))
        #expect(request.notificationType == .consumptionRequest)
        #expect(request.data?.consumptionRequestReason == .unintendedPurchase)
        let bytes = try TestVectors.bytes("models/signedExternalPurchaseTokenNotification.json")
        let token = try #require(NotificationPayload(json: bytes).externalPurchaseToken)
        #expect(token.externalPurchaseId == ExternalPurchaseId("b2158121-7af9-49d4-9561-1f588205523e"))
        #expect(token.tokenCreationDate == instant(1_698_148_950_000))
        #expect(token.appAppleId == AppAppleId(55555))
        let envelope = NotificationEnvelope(try JSONDocument.object(bytes))
        #expect(envelope.environment.value == .production)
    }

    @Test func `a transaction is parsed completely`() throws {
        let payload = try TransactionPayload(json: TestVectors.bytes("models/signedTransaction.json"))
        #expect(payload.fieldProblems.isEmpty && payload.unknownFields.isEmpty)
        #expect(payload.originalTransactionId == OriginalTransactionId("12345"))
        #expect(payload.transactionId == TransactionId("23456"))
        #expect(payload.webOrderLineItemId == WebOrderLineItemId("34343"))
        #expect(payload.productId == ProductId("com.example.product"))
        #expect(payload.subscriptionGroupIdentifier == SubscriptionGroupIdentifier("55555"))
        #expect(payload.originalPurchaseDate == instant(1_698_148_800_000))
        #expect(payload.purchaseDate == instant(1_698_148_900_000))
        #expect(payload.revocationDate == instant(1_698_148_950_000))
        #expect(payload.expiresDate == instant(1_698_149_000_000))
        #expect(payload.quantity == 1)
        #expect(payload.type == .autoRenewableSubscription)
        #expect(payload.appAccountToken == AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138"))
        #expect(payload.inAppOwnershipType == .purchased)
        #expect(payload.revocationReason == .issueInApp)
        #expect(payload.isUpgraded == true)
        #expect(payload.offerType == .introductory)
        #expect(payload.offerIdentifier == "abc.123")
        #expect(payload.offerDiscountType == .payAsYouGo)
        #expect(payload.offerPeriod == "P1Y")
        #expect(payload.storefront == "USA" && payload.storefrontId == "143441")
        #expect(payload.transactionReason == .purchase)
        #expect(payload.price == 10990 && payload.currency == "USD")
        #expect(payload.appTransactionId == AppTransactionId("71134"))
        #expect(payload.billingPlanType == .monthly)
        #expect(payload.commitmentInfo?.billingPeriodNumber == 3)
        #expect(payload.commitmentInfo?.totalBillingPeriods == 12)
        #expect(payload.commitmentInfo?.commitmentPrice == 119_880)
        #expect(payload.commitmentInfo?.commitmentExpiresDate == instant(1_698_150_000_000))
        let commerce = try #require(payload.advancedCommerceInfo)
        #expect(commerce.descriptors?.displayName == "Premium")
        #expect(commerce.estimatedTax == 1500 && commerce.taxExclusivePrice == 8490 && commerce.taxRate == "0.15")
        #expect(commerce.period == .p1m)
        let item = try #require(commerce.items?.first)
        #expect(item.sku == "com.example.sku.premium" && item.price == 9990)
        #expect(item.revocationDate == instant(1_698_149_200_000))
        #expect(item.refunds?.first?.refundAmount == 5000)
        #expect(item.refunds?.first?.refundReason == .fulfillmentIssue)
        #expect(item.refunds?.first?.refundType == .prorated)
    }

    @Test func `renewal info is parsed completely`() throws {
        let payload = try RenewalInfoPayload(json: TestVectors.bytes("models/signedRenewalInfo.json"))
        #expect(payload.fieldProblems.isEmpty && payload.unknownFields.isEmpty)
        #expect(payload.expirationIntent == .customerCancelled)
        #expect(payload.autoRenewProductId == ProductId("com.example.product.2"))
        #expect(payload.autoRenewStatus == .on)
        #expect(payload.isInBillingRetryPeriod == true)
        #expect(payload.priceIncreaseStatus == .notAnswered)
        #expect(payload.gracePeriodExpiresDate == instant(1_698_148_900_000))
        #expect(payload.offerType == .promotional)
        #expect(payload.renewalDate == instant(1_698_148_850_000))
        #expect(payload.renewalPrice == 9990)
        #expect(payload.eligibleWinBackOfferIds == ["eligible1", "eligible2"])
        #expect(payload.advancedCommerceInfo?.consistencyToken == "token-abc-123")
        let increase = try #require(payload.advancedCommerceInfo?.items?.first?.priceIncreaseInfo)
        #expect(increase.dependentSKUs?.count == 2 && increase.price == 12990 && increase.status == .pending)
        #expect(payload.commitmentInfo?.commitmentAutoRenewStatus == .on)
        #expect(payload.commitmentInfo?.commitmentRenewalDate == instant(1_698_149_500_000))
        #expect(payload.renewalBillingPlanType == .monthly)
    }

    @Test func `an app transaction is parsed completely`() throws {
        let payload = try AppTransactionPayload(json: TestVectors.bytes("models/appTransaction.json"))
        #expect(payload.fieldProblems.isEmpty && payload.unknownFields.isEmpty)
        #expect(payload.receiptType == .localTesting)
        #expect(payload.appAppleId == AppAppleId(531_412))
        #expect(payload.versionExternalIdentifier == 512)
        #expect(payload.preorderDate == instant(1_698_148_700_000))
        #expect(payload.originalPlatform == "iOS")
    }

    @Test func `Xcode's fractional and negative dates are rounded down`() throws {
        let transaction = try TransactionPayload(
            json: TestVectors.payload(ofJWS: "xcode/xcode-signed-transaction"))
        #expect(transaction.purchaseDate == instant(1_697_679_936_049))
        #expect(transaction.signedDate == instant(1_697_679_936_056))
        #expect(Set(transaction.unknownFields.names) == ["deviceVerification", "deviceVerificationNonce"])
        let app = try AppTransactionPayload(
            json: TestVectors.payload(ofJWS: "xcode/xcode-signed-app-transaction"))
        #expect(app.originalPurchaseDate == instant(-62_135_769_600_000))
        #expect(app.receiptType == .xcode)
    }
}

import AppStoreModel
import JSON
import LegacyNotifications
import Testing

@testable import Simulator

/// The bodies of version 1 and of the oldest format, field by field.
@Suite struct `Bodies before version 2` {
    private static let secret = "0123456789abcdef0123456789abcdef"

    /// Returns the first body of a type in a scenario.
    private func body(
        _ type: LegacyNotificationType, in scenario: String, _ format: NotificationFormat,
        app: SimulatedApp = productionApp,
        receiptTransactions: Int = 0
    ) throws -> JSONObject {
        let series = try makeSeries(
            [try #require(Scenario.named(scenario))], app: app, formats: [format],
            receiptTransactions: receiptTransactions)
        let bodies = series.legacyBodies(of: 0, format)
        let body = try #require(bodies.first { $0.type == type })
        return try #require(try JSONValue(json: body.body(password: Self.secret)).object)
    }

    private func receipt(_ body: JSONObject) throws -> (transactions: [JSONObject], renewals: [JSONObject]) {
        let unified = try #require(body["unified_receipt"]?.object)
        return (
            try #require(unified["latest_receipt_info"]?.array).compactMap(\.object),
            try #require(unified["pending_renewal_info"]?.array).compactMap(\.object)
        )
    }

    /// Whether a date has consistent values in its three formats.
    private func isDate(_ name: String, in object: JSONObject) -> Bool {
        guard let milliseconds = object[name + "_ms"]?.string.flatMap({ Int64($0) }) else { return false }
        return object[name]?.string == DateTexts.utc(milliseconds)
            && object[name + "_pst"]?.string == DateTexts.losAngeles(milliseconds)
    }

    // MARK: Version 1

    @Test func `version 1 spells every field of a subscription as Apple does`() throws {
        let body = try body(.didFailToRenew, in: "billing-grace-recovered", .v1)
        #expect(body["environment"] == "PROD" && body["password"] == .string(Self.secret))
        #expect(body["bid"] == "com.example.app" && body["bvrs"]?.string != nil)
        #expect(
            body["auto_renew_status"] == "true" && body["auto_renew_product_id"] == "com.example.app.premium.monthly")
        #expect(body["auto_renew_adam_id"]?.string.flatMap { Int64($0) } != nil)
        #expect(body["deprecation"]?.string != nil && body["expiration_intent"] == nil)
        #expect(body["signedPayload"] == nil && body["latest_receipt"] == nil)
        let unified = try #require(body["unified_receipt"]?.object)
        #expect(unified["environment"] == "Production" && unified["status"] == 0)
        #expect(unified["latest_receipt"]?.string?.utf8.count == 512)
        let (transactions, renewals) = try receipt(body)
        let element = try #require(transactions.first)
        #expect(element.members.allSatisfy { $0.value.string != nil })
        #expect(element["quantity"] == "1" && element["subscription_group_identifier"] == "21345678")
        #expect(element["is_trial_period"] == "false" && element["is_in_intro_offer_period"] == "false")
        #expect(element["in_app_ownership_type"] == "PURCHASED" && element["app_account_token"]?.string != nil)
        #expect(element["cancellation_date_ms"] == nil && element["is_upgraded"] == nil)
        #expect(
            body["original_transaction_id"]?.integer.map { .string(String($0)) } == element["original_transaction_id"])
        for name in ["purchase_date", "original_purchase_date", "expires_date"] { #expect(isDate(name, in: element)) }
        let renewal = try #require(renewals.first)
        #expect(renewals.count == 1 && renewal.members.allSatisfy { $0.value.string != nil })
        #expect(renewal["auto_renew_status"] == "1" && renewal["is_in_billing_retry_period"] == "1")
        #expect(renewal["original_transaction_id"] == element["original_transaction_id"])
        #expect(isDate("grace_period_expires_date", in: renewal) && renewal["expiration_intent"] == nil)
    }

    @Test func `a change of renewal has its date, and the reason if the subscription has ended`() throws {
        let off = try body(.didChangeRenewalStatus, in: "subscription-cancelled", .v1)
        #expect(off["auto_renew_status"] == "false" && isDate("auto_renew_status_change_date", in: off))
        let lost = try body(.didChangeRenewalStatus, in: "billing-grace-exhausted", .v1)
        #expect(lost["expiration_intent"] == 2)
        let renewal = try #require(try receipt(lost).renewals.first)
        #expect(renewal["expiration_intent"] == "2" && renewal["is_in_billing_retry_period"] == "0")
        #expect(renewal["auto_renew_status"] == "0")
    }

    @Test func `a refund of a subscription has its date, and the receipt has the reason`() throws {
        let cancel = try body(.cancel, in: "refund-reversed", .v1)
        #expect(isDate("cancellation_date", in: cancel))
        let element = try #require(try receipt(cancel).transactions.first)
        #expect(element["web_order_line_item_id"] == cancel["web_order_line_item_id"])
        #expect(isDate("cancellation_date", in: element) && element["cancellation_reason"] == "0")
    }

    @Test func `an upgrade marks the previous transaction as upgraded, newest first`() throws {
        let (transactions, renewals) = try receipt(try body(.interactiveRenewal, in: "plan-upgraded", .v1))
        #expect(transactions.map { $0["is_upgraded"]?.string } == [nil, "true"])
        #expect(isDate("cancellation_date", in: transactions[1]))
        #expect(transactions[1]["cancellation_date_ms"] == transactions[0]["purchase_date_ms"])
        #expect(renewals.first?["product_id"] == "com.example.app.premium.monthly")
    }

    @Test func `offers have the names of version 1`() throws {
        let trial = try receipt(try body(.initialBuy, in: "offer-free-trial", .v1)).transactions
        #expect(trial[0]["is_trial_period"] == "true" && trial[0]["is_in_intro_offer_period"] == "false")
        let code = try receipt(try body(.interactiveRenewal, in: "offer-upgrade", .v1)).transactions
        #expect(code[0]["offer_code_ref_name"] == "NEWSLETTER")
        let promotional = try receipt(try body(.didChangeRenewalPref, in: "offer-downgrade", .v1)).renewals
        #expect(promotional[0]["promotional_offer_id"] == "summer_sale")
        let price = try receipt(try body(.priceIncreaseConsent, in: "price-increase-accepted", .v1)).renewals
        #expect(price[0]["price_consent_status"] == "0")
    }

    @Test func `a non-renewing purchase has no renewal, and a family member has no account`() throws {
        let refund = try body(.refund, in: "non-consumable", .v1)
        #expect(refund["auto_renew_status"] == nil && refund["auto_renew_product_id"] == nil)
        let (transactions, renewals) = try receipt(refund)
        #expect(renewals.isEmpty && transactions[0]["expires_date_ms"] == nil)
        let revoke = try receipt(try body(.revoke, in: "family-subscription", .v1)).transactions
        #expect(revoke[0]["in_app_ownership_type"] == "FAMILY_SHARED" && revoke[0]["app_account_token"] == nil)
    }

    @Test func `the sandbox is named Sandbox in the body and in the receipt`() throws {
        let body = try body(.initialBuy, in: "subscription-renewing", .v1, app: sandboxApp)
        #expect(body["environment"] == "Sandbox" && body["unified_receipt"]?.object?["environment"] == "Sandbox")
    }

    @Test func `a receipt has the requested number of distinct transactions`() throws {
        let (transactions, _) = try receipt(
            try body(.didRenew, in: "subscription-renewing", .v1, receiptTransactions: 1000))
        #expect(transactions.count == 1000)
        #expect(Set(transactions.compactMap { $0["transaction_id"]?.string }).count == 1000)
        let dates = transactions.compactMap { $0["purchase_date_ms"]?.string.flatMap { Int64($0) } }
        #expect(dates.count == 1000 && dates == dates.sorted(by: >))
    }

    // MARK: The oldest format

    @Test func `the oldest format has one receipt object, with the expiry date in milliseconds`() throws {
        let body = try body(.initialBuy, in: "subscription-renewing", .v0)
        #expect(body["unified_receipt"] == nil && body["environment"] == "PROD")
        #expect(body["auto_renew_status"] == "true" && body["password"] == .string(Self.secret))
        let receipt = try #require(body["latest_receipt_info"]?.object)
        #expect(receipt.members.allSatisfy { $0.value.string != nil })
        let expires = try #require(receipt["expires_date"]?.string.flatMap { Int64($0) })
        #expect(receipt["expires_date_formatted"]?.string == DateTexts.utc(expires))
        #expect(receipt["expires_date_formatted_pst"]?.string == DateTexts.losAngeles(expires))
        #expect(receipt["expires_date_ms"] == nil && isDate("purchase_date", in: receipt))
        #expect(receipt["unique_identifier"]?.string?.utf8.count == 40)
        #expect(receipt["unique_vendor_identifier"]?.string != nil && receipt["bid"] == "com.example.app")
        #expect(receipt["in_app_ownership_type"] == nil && receipt["is_upgraded"] == nil)
        #expect(body["latest_expired_receipt_info"] == nil && body["latest_receipt"]?.string != nil)
    }

    @Test func `a recovery has both receipts, and a cancellation only the expired one`() throws {
        let renewal = try body(.renewal, in: "billing-retry-recovered", .v0)
        let (new, old) = (renewal["latest_receipt_info"]?.object, renewal["latest_expired_receipt_info"]?.object)
        #expect(new?["transaction_id"] != old?["transaction_id"] && old != nil)
        let upgrade = try body(.cancel, in: "plan-upgraded", .v0)
        #expect(upgrade["latest_receipt_info"] == nil && isDate("cancellation_date", in: upgrade))
        let expired = try #require(upgrade["latest_expired_receipt_info"]?.object)
        #expect(expired["product_id"] == "com.example.app.basic.monthly")
        #expect(upgrade["web_order_line_item_id"] == expired["web_order_line_item_id"])
        let refund = try body(.cancel, in: "refund-reversed", .v0)
        #expect(isDate("cancellation_date", in: try #require(refund["latest_expired_receipt_info"]?.object)))
    }

    // MARK: Reading

    @Test(arguments: [NotificationFormat.v1, .v0]) func `every body is parsed with the transaction it was written for`(
        format: NotificationFormat
    ) throws {
        let series = try makeSeries(formats: [format])
        var read = 0
        for run in series.scenarios.indices {
            for sent in series.legacyBodies(of: run, format) {
                let document = try JSONDocument.object(
                    sent.body(password: Self.secret), maximumBytes: 1 << 20, maximumDepth: 16)
                let notification = try LegacyNotification(
                    document, bundleId: productionApp.bundleId,
                    receivedAt: AppStoreInstant(clampingMillisecondsSince1970: sent.date))
                #expect(notification.source.rawValue == format.rawValue && notification.rawType == sent.type.rawValue)
                #expect(
                    notification.transactionId == sent.transactionId, "\(series.scenario(of: run).name) \(sent.type)")
                #expect(notification.originalTransactionId == sent.originalTransactionId)
                #expect(notification.ignoredFields == 0 && notification.eventTime.millisecondsSince1970 <= sent.date)
                #expect(!String(decoding: notification.legacy, as: UTF8.self).contains(Self.secret))
                read += 1
            }
        }
        #expect(read > 40)
    }

    // MARK: Dates

    @Test(arguments: [
        (1_574_450_985_000 as Int64, "2019-11-22 19:29:45 Etc/GMT", "2019-11-22 11:29:45 America/Los_Angeles"),
        // An hour before the change to summer time on 8 March 2026, and at the change.
        (1_772_960_400_000, "2026-03-08 09:00:00 Etc/GMT", "2026-03-08 01:00:00 America/Los_Angeles"),
        (1_772_964_000_000, "2026-03-08 10:00:00 Etc/GMT", "2026-03-08 03:00:00 America/Los_Angeles"),
        // An hour before the change back on 1 November 2026, and at the change.
        (1_793_520_000_000, "2026-11-01 08:00:00 Etc/GMT", "2026-11-01 01:00:00 America/Los_Angeles"),
        (1_793_523_600_000, "2026-11-01 09:00:00 Etc/GMT", "2026-11-01 01:00:00 America/Los_Angeles"),
        // In 2027, summer time begins on 14 March.
        (1_805_004_000_000, "2027-03-14 06:00:00 Etc/GMT", "2027-03-13 22:00:00 America/Los_Angeles"),
    ]) func `dates are formatted in UTC and in Los Angeles time`(milliseconds: Int64, utc: String, losAngeles: String) {
        #expect(DateTexts.utc(milliseconds) == utc && DateTexts.losAngeles(milliseconds) == losAngeles)
    }
}

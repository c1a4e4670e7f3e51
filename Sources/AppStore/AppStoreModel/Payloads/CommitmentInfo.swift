public import JSON

/// The commitment of a subscription that is billed monthly.
public struct TransactionCommitmentInfo: Hashable, Sendable {
    /// The number of this billing period, starting at 1.
    public var billingPeriodNumber: Int32?
    public var totalBillingPeriods: Int32?
    /// The total price in milliunits of the currency.
    public var commitmentPrice: Int64?
    /// The end of the commitment. Entitlements use `expiresDate` instead.
    public var commitmentExpiresDate: AppStoreInstant?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension TransactionCommitmentInfo: PayloadObject {
    init(reading fields: inout FieldReader) {
        billingPeriodNumber = fields.int32("billingPeriodNumber")
        totalBillingPeriods = fields.int32("totalBillingPeriods")
        commitmentPrice = fields.int64("commitmentPrice")
        commitmentExpiresDate = fields.instant("commitmentExpiresDate")
        unknownFields = fields.unknownFields
    }
}

/// How a commitment renews when it ends.
public struct RenewalCommitmentInfo: Hashable, Sendable {
    public var commitmentAutoRenewProductId: ProductId?
    public var commitmentAutoRenewStatus: AutoRenewStatus?
    public var commitmentRenewalBillingPlanType: BillingPlanType?
    public var commitmentRenewalDate: AppStoreInstant?
    /// The price in milliunits of the currency.
    public var commitmentRenewalPrice: Int64?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension RenewalCommitmentInfo: PayloadObject {
    init(reading fields: inout FieldReader) {
        commitmentAutoRenewProductId = fields.identifier("commitmentAutoRenewProductId")
        commitmentAutoRenewStatus = fields.enumeration("commitmentAutoRenewStatus")
        commitmentRenewalBillingPlanType = fields.enumeration("commitmentRenewalBillingPlanType")
        commitmentRenewalDate = fields.instant("commitmentRenewalDate")
        commitmentRenewalPrice = fields.int64("commitmentRenewalPrice")
        unknownFields = fields.unknownFields
    }
}

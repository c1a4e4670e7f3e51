public import JSON

/// The Advanced Commerce details of a transaction.
public struct AdvancedCommerceTransactionInfo: Hashable, Sendable {
    public var descriptors: AdvancedCommerceDescriptors?
    /// The estimated tax in milliunits of the currency.
    public var estimatedTax: Int64?
    public var items: [AdvancedCommerceTransactionItem]?
    public var period: AdvancedCommercePeriod?
    public var requestReferenceId: String?
    public var taxCode: String?
    /// The price without tax in milliunits of the currency.
    public var taxExclusivePrice: Int64?
    /// The tax rate as a decimal string.
    public var taxRate: String?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension AdvancedCommerceTransactionInfo: PayloadObject {
    init(reading fields: inout FieldReader) {
        descriptors = fields.object("descriptors")
        estimatedTax = fields.int64("estimatedTax")
        items = fields.objects("items")
        period = fields.enumeration("period")
        requestReferenceId = fields.string("requestReferenceId")
        taxCode = fields.string("taxCode")
        taxExclusivePrice = fields.int64("taxExclusivePrice")
        taxRate = fields.string("taxRate")
        unknownFields = fields.unknownFields
    }
}

/// An item in a transaction. An item can be revoked while the transaction remains valid.
public struct AdvancedCommerceTransactionItem: Hashable, Sendable {
    public var sku: String?
    public var description: String?
    public var displayName: String?
    public var offer: AdvancedCommerceOffer?
    /// The price in milliunits of the currency.
    public var price: Int64?
    public var refunds: [AdvancedCommerceRefund]?
    public var revocationDate: AppStoreInstant?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension AdvancedCommerceTransactionItem: PayloadObject {
    init(reading fields: inout FieldReader) {
        sku = fields.string("SKU")
        description = fields.string("description")
        displayName = fields.string("displayName")
        offer = fields.object("offer")
        price = fields.int64("price")
        refunds = fields.objects("refunds")
        revocationDate = fields.instant("revocationDate")
        unknownFields = fields.unknownFields
    }
}

/// A refund for an item.
public struct AdvancedCommerceRefund: Hashable, Sendable {
    /// The refunded amount in milliunits of the currency.
    public var refundAmount: Int64?
    public var refundDate: AppStoreInstant?
    public var refundReason: AdvancedCommerceRefundReason?
    public var refundType: AdvancedCommerceRefundType?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension AdvancedCommerceRefund: PayloadObject {
    init(reading fields: inout FieldReader) {
        refundAmount = fields.int64("refundAmount")
        refundDate = fields.instant("refundDate")
        refundReason = fields.enumeration("refundReason")
        refundType = fields.enumeration("refundType")
        unknownFields = fields.unknownFields
    }
}

/// The text shown to the customer.
public struct AdvancedCommerceDescriptors: Hashable, Sendable {
    public var description: String?
    public var displayName: String?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension AdvancedCommerceDescriptors: PayloadObject {
    init(reading fields: inout FieldReader) {
        description = fields.string("description")
        displayName = fields.string("displayName")
        unknownFields = fields.unknownFields
    }
}

/// An offer on an item.
public struct AdvancedCommerceOffer: Hashable, Sendable {
    public var period: AdvancedCommerceOfferPeriod?
    public var periodCount: Int32?
    /// The price in milliunits of the currency.
    public var price: Int64?
    public var reason: AdvancedCommerceOfferReason?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension AdvancedCommerceOffer: PayloadObject {
    init(reading fields: inout FieldReader) {
        period = fields.enumeration("period")
        periodCount = fields.int32("periodCount")
        price = fields.int64("price")
        reason = fields.enumeration("reason")
        unknownFields = fields.unknownFields
    }
}

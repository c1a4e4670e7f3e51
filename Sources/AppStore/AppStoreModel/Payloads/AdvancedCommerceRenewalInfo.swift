public import JSON

/// The Advanced Commerce details of a subscription's next renewal.
public struct AdvancedCommerceRenewalInfo: Hashable, Sendable {
    public var consistencyToken: String?
    public var descriptors: AdvancedCommerceDescriptors?
    public var items: [AdvancedCommerceRenewalItem]?
    public var period: AdvancedCommercePeriod?
    public var requestReferenceId: String?
    public var taxCode: String?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension AdvancedCommerceRenewalInfo: PayloadObject {
    init(reading fields: inout FieldReader) {
        consistencyToken = fields.string("consistencyToken")
        descriptors = fields.object("descriptors")
        items = fields.objects("items")
        period = fields.enumeration("period")
        requestReferenceId = fields.string("requestReferenceId")
        taxCode = fields.string("taxCode")
        unknownFields = fields.unknownFields
    }
}

/// An item in the next renewal.
public struct AdvancedCommerceRenewalItem: Hashable, Sendable {
    public var sku: String?
    public var description: String?
    public var displayName: String?
    public var offer: AdvancedCommerceOffer?
    /// The price in milliunits of the currency.
    public var price: Int64?
    public var priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension AdvancedCommerceRenewalItem: PayloadObject {
    init(reading fields: inout FieldReader) {
        sku = fields.string("SKU")
        description = fields.string("description")
        displayName = fields.string("displayName")
        offer = fields.object("offer")
        price = fields.int64("price")
        priceIncreaseInfo = fields.object("priceIncreaseInfo")
        unknownFields = fields.unknownFields
    }
}

/// A price increase for an item.
public struct AdvancedCommercePriceIncreaseInfo: Hashable, Sendable {
    public var dependentSKUs: [String]?
    /// The price in milliunits of the currency.
    public var price: Int64?
    public var status: AdvancedCommercePriceIncreaseStatus?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension AdvancedCommercePriceIncreaseInfo: PayloadObject {
    init(reading fields: inout FieldReader) {
        dependentSKUs = fields.strings("dependentSKUs")
        price = fields.int64("price")
        status = fields.enumeration("status")
        unknownFields = fields.unknownFields
    }
}

public import JSON

/// The seat information in a transaction for a multi-seat purchase.
public struct TransactionMultiSeatInfo: Hashable, Sendable {
    public var invitationManagement: InvitationManagement?
    public var priceTiers: [SeatPriceTier]?
    /// The number of refunded seats, present only in the purchaser's transaction. On its own, it revokes nothing.
    public var revokedSeatQuantity: Int32?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension TransactionMultiSeatInfo: PayloadObject {
    init(reading fields: inout FieldReader) {
        invitationManagement = fields.enumeration("invitationManagement")
        priceTiers = fields.objects("priceTiers")
        revokedSeatQuantity = fields.int32("revokedSeatQuantity")
        unknownFields = fields.unknownFields
    }
}

/// The seat information in renewal info: the price tiers of the seats at the next renewal.
public struct RenewalMultiSeatInfo: Hashable, Sendable {
    public var renewalPriceTiers: [SeatPriceTier]?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension RenewalMultiSeatInfo: PayloadObject {
    init(reading fields: inout FieldReader) {
        renewalPriceTiers = fields.objects("renewalPriceTiers")
        unknownFields = fields.unknownFields
    }
}

/// A price tier that applies to some of the seats. Apple has not published its fields, so they are in `unknownFields`.
public struct SeatPriceTier: Hashable, Sendable {
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension SeatPriceTier: PayloadObject {
    init(reading fields: inout FieldReader) {
        unknownFields = fields.unknownFields
    }
}

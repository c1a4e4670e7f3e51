internal import AppStoreModel
internal import JSON

/// The offer for a transaction or the next renewal, to the extent that the unsigned formats contain it.
struct LegacyOffer: Sendable {
    var type: OfferType
    var identifier: String?
    var discountType: OfferDiscountType?

    /// Reads an offer by its name: a promotional offer or an offer code. Returns nil if there is neither.
    init?(named object: LegacyObject) throws(LegacyError) {
        if let identifier = try object.text("promotional_offer_id") {
            (type, self.identifier) = (.promotional, identifier)
        } else if let identifier = try object.text("offer_code_ref_name") {
            (type, self.identifier) = (.offerCode, identifier)
        } else {
            return nil
        }
    }

    /// Reads a transaction's offer by its name or, if it has none, an introductory offer by its flags. The discount
    /// type is known only for free trials.
    init?(ofTransaction object: inout LegacyObject) throws(LegacyError) {
        let isTrial = object.flag("is_trial_period") == true
        let isIntroductory = object.flag("is_in_intro_offer_period") == true
        if let offer = try LegacyOffer(named: object) {
            self = offer
        } else if isTrial || isIntroductory {
            type = .introductory
        } else {
            return nil
        }
        if isTrial { discountType = .freeTrial }
    }

    func write(to writer: inout JSONWriter) {
        writer.set("offerType", type.rawValue)
        writer.set("offerIdentifier", identifier)
        writer.set("offerDiscountType", discountType?.rawValue)
    }
}

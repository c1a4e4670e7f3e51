/// A discount or free period to win or retain a customer, described by Apple's `offerType`, `offerIdentifier`,
/// `offerDiscountType` and `offerPeriod`.
package struct Offer: Sendable, Equatable {
    /// Apple's `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    let type: Int64
    /// The identifier, or nil for introductory offers.
    let identifier: String?
    let discountType: String
    /// The offer's period as an ISO 8601 duration, or nil for one-time purchases.
    let period: String?
    /// The length of the discounted first period, or `nil` for the product's own length.
    let firstPeriod: Duration?
    /// The share of the full price that is charged, in percent.
    let percentCharged: Int64

    static let freeTrial = Offer(
        type: 1, identifier: nil, discountType: "FREE_TRIAL", period: "P1W", firstPeriod: .week, percentCharged: 0)
    static let summerSale = Offer(
        type: 2, identifier: "summer_sale", discountType: "PAY_AS_YOU_GO", period: "P1M", firstPeriod: nil,
        percentCharged: 50)
    static let code = Offer(
        type: 3, identifier: "NEWSLETTER", discountType: "PAY_UP_FRONT", period: "P1M", firstPeriod: nil,
        percentCharged: 70)
    static let oneTimeCode = Offer(
        type: 3, identifier: "LAUNCH", discountType: "ONE_TIME", period: nil, firstPeriod: nil, percentCharged: 50)
    static let winBack = Offer(
        type: 4, identifier: "come_back", discountType: "PAY_AS_YOU_GO", period: "P1M", firstPeriod: nil,
        percentCharged: 40)
}

internal import JSON

extension ConsumptionFacts {
    /// Names of the members: a contract, in the rules file and in the answer of the company's service.
    enum Member {
        static let customerConsented = "customerConsented"
        static let deliveryStatus = "deliveryStatus"
        static let sampleContentProvided = "sampleContentProvided"
        static let consumptionPercentage = "consumptionPercentage"
        static let consumptionStatus = "consumptionStatus"
        static let platform = "platform"
        static let accountTenureDays = "accountTenureDays"
        static let playTimeMinutes = "playTimeMinutes"
        static let lifetimePurchasedCents = "lifetimePurchasedCents"
        static let lifetimeRefundedCents = "lifetimeRefundedCents"
        static let userStatus = "userStatus"
        static let outcome = "outcome"

        /// Of a rules file, where the outcome is the rule's.
        static let all = [
            customerConsented, deliveryStatus, sampleContentProvided, consumptionPercentage, consumptionStatus,
            platform, accountTenureDays, playTimeMinutes, lifetimePurchasedCents, lifetimeRefundedCents, userStatus,
        ]
    }

    /// The longest answer of the company's service, in bytes.
    package static let maximumAnswerBytes = 64 * 1024
    /// A century in minutes, and a billion dollars in cents: no number that is meant is greater.
    private static let longestDays: Int64 = 36_525
    private static let longestMinutes: Int64 = 36_525 * 1440
    private static let greatestCents: Int64 = 100_000_000_000

    /// Reads the answer of the company's service. An unknown member is an error: a misspelled one would be lost.
    ///
    /// - Parameter name: what errors call the text.
    package init(answer json: [UInt8], name: String) throws(RefundInputError) {
        let input = try RefundInput(json: json, name: name, maximumBytes: Self.maximumAnswerBytes)
        let members = try input.members(Member.all + [Member.outcome])
        guard members[Member.customerConsented] != nil else {
            throw input.error("\(Member.customerConsented) is missing: true or false, has the customer consented")
        }
        try self.init(members)
        outcome = try members[Member.outcome]?.oneOf()
    }

    /// The facts that a rules file states.
    init(reading input: RefundInput) throws(RefundInputError) { try self.init(input.members(Member.all)) }

    private init(_ members: [String: RefundInput]) throws(RefundInputError) {
        customerConsented = try members[Member.customerConsented]?.bool()
        deliveryStatus = try members[Member.deliveryStatus]?.oneOf()
        sampleContentProvided = try members[Member.sampleContentProvided]?.bool()
        consumptionPercentage = try members[Member.consumptionPercentage]?.integer(in: 0...100_000)
        consumptionStatus = try members[Member.consumptionStatus]?.oneOf()
        platform = try members[Member.platform]?.oneOf()
        accountTenureDays = try members[Member.accountTenureDays]?.integer(in: 0...Self.longestDays)
        playTimeMinutes = try members[Member.playTimeMinutes]?.integer(in: 0...Self.longestMinutes)
        lifetimePurchasedCents = try members[Member.lifetimePurchasedCents]?.integer(in: 0...Self.greatestCents)
        lifetimeRefundedCents = try members[Member.lifetimeRefundedCents]?.integer(in: 0...Self.greatestCents)
        userStatus = try members[Member.userStatus]?.oneOf()
    }
}

extension ConsumptionFacts {
    /// As the answer of the company's service would be, to be kept with a case; ``init(answer:name:)`` reads it, provided
    /// that ``customerConsented`` is known.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.set("customerConsented", customerConsented)
            $0.set("deliveryStatus", deliveryStatus?.rawValue)
            $0.set("sampleContentProvided", sampleContentProvided)
            $0.set("consumptionPercentage", consumptionPercentage)
            $0.set("consumptionStatus", consumptionStatus?.rawValue)
            $0.set("platform", platform?.rawValue)
            $0.set("accountTenureDays", accountTenureDays)
            $0.set("playTimeMinutes", playTimeMinutes)
            $0.set("lifetimePurchasedCents", lifetimePurchasedCents)
            $0.set("lifetimeRefundedCents", lifetimeRefundedCents)
            $0.set("userStatus", userStatus?.rawValue)
            $0.set("outcome", outcome?.rawValue)
        }
        return json.bytes
    }
}

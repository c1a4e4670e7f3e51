internal import JSON

extension ConsumptionFacts {
    /// The member names in the rules file and in the answer from the company's service. These names are a contract.
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

        /// The members for facts in a rules file. `outcome` is not included, because in the file it belongs to the
        /// rule.
        static let all = [
            customerConsented, deliveryStatus, sampleContentProvided, consumptionPercentage, consumptionStatus,
            platform, accountTenureDays, playTimeMinutes, lifetimePurchasedCents, lifetimeRefundedCents, userStatus,
        ]
    }

    /// The maximum length of an answer from the company's service, in bytes.
    package static let maximumAnswerBytes = 64 * 1024
    /// The largest plausible values: a century in days and in minutes, and a billion US dollars in cents. Larger
    /// numbers are mistakes.
    private static let longestDays: Int64 = 36_525
    private static let longestMinutes: Int64 = 36_525 * 1440
    private static let greatestCents: Int64 = 100_000_000_000

    /// An answer from the company's service, with the names of members unknown to this version.
    package struct Answer: Hashable, Sendable {
        package let facts: ConsumptionFacts
        package let unknownMembers: [String]
    }

    /// Parses an answer from the company's service. Unknown members are reported by name; a known member with an
    /// invalid value is an error.
    ///
    /// - Parameter name: the name of the input, for errors.
    package static func answer(_ json: [UInt8], name: String) throws(RefundInputError) -> Answer {
        let input = try RefundInput(json: json, name: name, maximumBytes: maximumAnswerBytes)
        let (members, unknown) = try input.knownMembers(Member.all + [Member.outcome])
        guard members[Member.customerConsented] != nil else {
            throw input.error(
                "\(Member.customerConsented) is missing; set it to true if the customer has consented, otherwise to "
                    + "false")
        }
        var facts = try ConsumptionFacts(members)
        facts.outcome = try members[Member.outcome]?.oneOf()
        return Answer(facts: facts, unknownMembers: unknown)
    }

    /// How to treat unknown members.
    enum OtherMembers {
        /// Unknown members are an error, so that a misspelled member in a file is noticed.
        case refused
        /// Unknown members are not an error. Their names are collected and reported.
        case collected
    }

    /// Parses the facts in a rules file or a preference.
    static func reading(
        _ input: RefundInput, others: OtherMembers = .refused
    ) throws(RefundInputError) -> (value: ConsumptionFacts, unknown: [String]) {
        guard others == .collected else { return (try ConsumptionFacts(input.members(Member.all)), []) }
        let (members, unknown) = try input.knownMembers(Member.all)
        return (try ConsumptionFacts(members), unknown)
    }

    /// Parses the facts in a rules file.
    init(reading input: RefundInput) throws(RefundInputError) { self = try Self.reading(input).value }

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
    /// The facts as JSON text, in the form of an answer from the company's service, to be stored with a case.
    /// ``answer(_:name:)`` can parse the text if ``customerConsented`` is known.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.object { write(to: &$0) }
        return json.bytes
    }

    func write(to object: inout JSONWriter) {
        object.set("customerConsented", customerConsented)
        object.set("deliveryStatus", deliveryStatus?.rawValue)
        object.set("sampleContentProvided", sampleContentProvided)
        object.set("consumptionPercentage", consumptionPercentage)
        object.set("consumptionStatus", consumptionStatus?.rawValue)
        object.set("platform", platform?.rawValue)
        object.set("accountTenureDays", accountTenureDays)
        object.set("playTimeMinutes", playTimeMinutes)
        object.set("lifetimePurchasedCents", lifetimePurchasedCents)
        object.set("lifetimeRefundedCents", lifetimeRefundedCents)
        object.set("userStatus", userStatus?.rawValue)
        object.set("outcome", outcome?.rawValue)
    }
}

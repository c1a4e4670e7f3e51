internal import AppStoreModel
internal import Configuration
internal import Primitives

extension RefundConditions {
    /// The member names. These names are a contract.
    private enum Member {
        static let product = "product"
        static let productType = "productType"
        static let price = "price"
        static let reason = "reason"
        static let age = "age"
        static let earlierRefunds = "earlierRefunds"
        static let consumptionPercentage = "consumptionPercentage"
        static let storefront = "storefront"
        static let offer = "offer"
        static let trial = "trial"
        static let purchase = "purchase"
        static let ownership = "ownership"
        static let elapsed = "elapsed"
        static let earlierRequests = "earlierRequests"
        static let earlierRequestsOfTransaction = "earlierRequestsOfTransaction"
        static let environment = "environment"
        static let bundleId = "bundleId"

        static let all = [
            product, productType, price, reason, age, earlierRefunds, consumptionPercentage, storefront, offer, trial,
            purchase, ownership, elapsed, earlierRequests, earlierRequestsOfTransaction, environment, bundleId,
        ]
        static let currency = "currency"
        static let from = "from"
        static let to = "to"
    }

    private static let maximumValues = 1000

    init(reading input: RefundInput) throws(RefundInputError) {
        let members = try input.members(Member.all)
        products = try members[Member.product].map { input throws(RefundInputError) in
            try Self.list(input, of: "product ids", one: "a product id, or a prefix followed by *", ProductPattern.init)
        }
        productTypes = try members[Member.productType].map(Self.known)
        price = try members[Member.price].map(Self.price)
        reasons = try members[Member.reason].map(Self.known)
        age = try members[Member.age].map { input throws(RefundInputError) in
            try Self.bounds(input) { bound throws(RefundInputError) in
                try bound.text("a duration such as \"12h\" or \"14d\"") {
                    DurationText.parse($0).map(\.clampedMilliseconds)
                }
            }
        }
        earlierRefunds = try members[Member.earlierRefunds].map(Self.counts)
        consumptionPercentage = try members[Member.consumptionPercentage].map(Self.percentages)
        try readPurchase(members)
        environments = try members[Member.environment].map { input throws(RefundInputError) in
            let names = [AppStoreEnvironment.production, .sandbox]
            let texts = names.map(\.rawValue).joined(separator: ", ")
            return Set(
                try Self.list(input, of: "environments", one: "one of \(texts)") { text in
                    names.first { $0.rawValue == text }
                })
        }
        bundleIds = try members[Member.bundleId].map { input throws(RefundInputError) in
            Set(
                try Self.list(input, of: "bundle ids", one: "a bundle id") {
                    BoundedText.accepts($0) ? BundleId($0) : nil
                })
        }
    }

    private static func price(_ input: RefundInput) throws(RefundInputError) -> Price {
        let members = try input.members([Member.currency, Member.from, Member.to])
        guard let currency = members[Member.currency] else {
            throw input.error("\(Member.currency) is missing: an ISO 4217 code such as \"EUR\"")
        }
        let code = try currency.text("an ISO 4217 code such as \"EUR\"") { text in
            text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
                ? text : nil
        }
        let bounds = try bounds(input, members) { bound throws(RefundInputError) in
            try bound.text("an amount in the currency as a string, such as \"4.99\"") { AmountText.milliunits($0) }
        }
        return Price(currency: code, bounds: bounds)
    }

    private mutating func readPurchase(_ members: [String: RefundInput]) throws(RefundInputError) {
        storefronts = try members[Member.storefront].map { input throws(RefundInputError) in
            Set(
                try Self.list(input, of: "countries", one: "three capital letters (ISO 3166-1), such as USA") { text in
                    let isCode = text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
                    return isCode ? text : nil
                })
        }
        offers = try members[Member.offer].map { input throws(RefundInputError) in
            let names = OfferCondition.allCases.map(\.rawValue).joined(separator: ", ")
            return Set(
                try Self.list(input, of: "offers", one: "one of \(names)", OfferCondition.init(rawValue:)))
        }
        isTrial = try members[Member.trial]?.bool()
        purchases = try members[Member.purchase].map { input throws(RefundInputError) in
            Set(
                try Self.list(input, of: "strings", one: "first or renewal") { text in
                    ["first": TransactionReason.purchase, "renewal": .renewal][text]
                })
        }
        ownerships = try members[Member.ownership].map(Self.known)
        elapsed = try members[Member.elapsed].map(Self.percentages)
        earlierRequests = try members[Member.earlierRequests].map(Self.counts)
        earlierRequestsOfTransaction = try members[Member.earlierRequestsOfTransaction].map(Self.counts)
    }

    private static func counts(_ input: RefundInput) throws(RefundInputError) -> HalfOpenBounds {
        try bounds(input) { bound throws(RefundInputError) in try bound.integer(in: 0...1_000_000) }
    }

    private static func percentages(_ input: RefundInput) throws(RefundInputError) -> HalfOpenBounds {
        try bounds(input) { bound throws(RefundInputError) in
            try bound.text("a percentage such as \"0%\" or \"50%\"", AmountText.percentMilliunits)
        }
    }

    private static func bounds(
        _ input: RefundInput, _ read: (RefundInput) throws(RefundInputError) -> Int64
    ) throws(RefundInputError) -> HalfOpenBounds {
        try bounds(input, input.members([Member.from, Member.to]), read)
    }

    private static func bounds(
        _ input: RefundInput, _ members: [String: RefundInput],
        _ read: (RefundInput) throws(RefundInputError) -> Int64
    ) throws(RefundInputError) -> HalfOpenBounds {
        let bounds = HalfOpenBounds(
            from: try members[Member.from].map(read), to: try members[Member.to].map(read))
        guard bounds.from != nil || bounds.to != nil else {
            throw input.error("expected \(Member.from) (inclusive), \(Member.to) (exclusive), or both")
        }
        if let from = bounds.from, let to = bounds.to, from >= to {
            throw input.error("\(Member.to) is exclusive and must be greater than \(Member.from)")
        }
        return bounds
    }

    /// Parses values of one of Apple's enumerations. Unknown values are rejected, because they are more likely to be
    /// misspelled than new.
    private static func known<Value: OpenEnumeration>(
        _ input: RefundInput
    ) throws(RefundInputError) -> Set<Value> where Value.RawValue == String {
        let names = Value.known.map(\.rawValue).sorted().joined(separator: ", ")
        return Set(
            try list(input, of: "strings", one: "one of \(names)") { text in
                let value = Value(rawValue: text)
                return value.isKnown ? value : nil
            })
    }

    private static func list<Value>(
        _ input: RefundInput, of expected: String, one: String, _ read: (String) -> Value?
    ) throws(RefundInputError) -> [Value] {
        var values: [Value] = []
        for element in try input.elements(atMost: maximumValues, of: expected) {
            values.append(try element.text(one, read))
        }
        return values
    }
}

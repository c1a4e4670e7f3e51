internal import AppStoreModel
internal import JSON

extension RefundPreference {
    /// The member names in the preferences topic. These names are a contract.
    private enum Member {
        static let consent = "consent"
        static let since = "since"
        static let withdrawn = "withdrawn"
        static let preference = "preference"
        static let consumption = "consumption"
        static let all = [consent, since, withdrawn, preference, consumption]
    }

    /// The maximum length of a record, in bytes.
    package static let maximumBytes = 64 * 1024

    /// Parses a record. Its JSON Schema is `deploy/refund-preference.schema.json`. The names of unknown members are
    /// stored in ``unknownMembers``. A known member with an invalid value is an error, because ignoring it might
    /// misrepresent the customer's consent.
    ///
    /// - Parameter name: the name of the input, for errors.
    package init(json: [UInt8], name: String) throws(RefundInputError) {
        let input = try RefundInput(json: json, name: name, maximumBytes: Self.maximumBytes)
        let (members, unknown) = try input.knownMembers(Member.all)
        self.init()
        unknownMembers = unknown
        consent = try members[Member.consent]?.bool()
        since = try members[Member.since]?.instant()
        isWithdrawn = try members[Member.withdrawn]?.bool() ?? false
        preference = try members[Member.preference]?.oneOf()
        guard let consumption = members[Member.consumption] else { return }
        let facts = try ConsumptionFacts.reading(consumption, others: .collected)
        guard facts.value.customerConsented == nil else {
            throw consumption.error("customerConsented is not allowed here; use \(Member.consent)")
        }
        self.consumption = facts.value
        unknownMembers += facts.unknown
    }

    /// The value of the record.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.set("consent", consent)
            $0.set("since", since?.description)
            if isWithdrawn { $0.set("withdrawn", true) }
            $0.set("preference", preference?.rawValue)
            if consumption != ConsumptionFacts() {
                $0.object("consumption") { consumption.write(to: &$0) }
            }
        }
        return json.bytes
    }
}

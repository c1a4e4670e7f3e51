package import AppStoreModel
package import JSON

/// The answer for a round, decided once. It contains either the bytes to send in every attempt, or the reason why
/// nothing is sent.
///
/// It is proposed in the log under the case's key. The first proposal for a round wins.
package struct FrozenAnswer: DatedPart {
    /// The source of the consent and consumption data.
    package enum Source: String, Sendable, CaseIterable {
        case rules
        /// The company's service.
        case provider
        /// The rules, used because the company's service did not answer before the deadline.
        case fallback
        case `operator`
    }

    /// The signedDate of the newest request known when the answer was decided, or nil in proposals of format version 1.
    package var through: AppStoreInstant?
    /// The time on the clock of the member that made the decision.
    package var decidedAt: AppStoreInstant
    package var source: Source
    /// The source of the preference, as a raw value of `RefundDecision.Source`.
    package var decidedBy: String?
    /// The rule that applied, or nil if none did.
    package var rule: String?
    /// The fingerprint of the rules used.
    package var rules: String?
    /// A raw value of `RefundOutcome`.
    package var outcome: String
    /// The version of Apple's request body, 1 or 2, or nil if there is no body. An erasure does not remove it.
    package var form: Int32?
    /// The JSON text, sent byte for byte, or nil if no answer is sent.
    package var body: String?
    /// The reason why there is no body, as a code from ``RefundReason``.
    package var reason: String?
    /// Reasons why members of the body were omitted.
    package var notes: [String] = []
    /// The answer from the company's service, as JSON text.
    package var service: String?
    /// The date of RESCIND_CONSENT, as known when the decision was made.
    package var consentRescindedAt: AppStoreInstant?

    package init(
        through: AppStoreInstant?, decidedAt: AppStoreInstant, source: Source, rule: String?, outcome: String,
        form: Int32? = nil, body: String? = nil, reason: String? = nil, notes: [String] = []
    ) {
        self.through = through
        self.decidedAt = decidedAt
        self.source = source
        self.rule = rule
        self.outcome = outcome
        self.form = form
        self.body = body
        self.reason = reason
        self.notes = notes
    }

    package mutating func erase() {
        body = nil
        service = nil
    }

    package var date: AppStoreInstant { through ?? .earliest }
    /// The rank. An answer with a body, even an erased one, wins over an answer without; otherwise, the earlier
    /// decision wins, because it may have been sent.
    package var rank: [Int64] { [form == nil ? 0 : 1, -decidedAt.millisecondsSince1970] }

    /// The bytes of the proposal, as JSON.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }

    /// Returns nil if the bytes are not an answer.
    package init?(json: [UInt8]) {
        guard let root = try? JSONDocument.object(json).root else { return nil }
        self.init(root)
    }

    /// Returns the date of the newest request that a proposal covers, or nil if the proposal does not contain it. The
    /// date can be read even from a proposal in a later format version, which is otherwise unreadable.
    package static func through(proposal json: [UInt8]) -> AppStoreInstant? {
        guard let root = try? JSONDocument.object(json).root else { return nil }
        var fields = FieldReader(root)
        return fields.instant("through")
    }

    /// Returns the time of the decision in a proposal, or nil if the proposal does not contain it. Like
    /// ``through(proposal:)``, it can be read in any format version.
    static func decidedAt(proposal json: [UInt8]) -> AppStoreInstant? {
        guard let root = try? JSONDocument.object(json).root else { return nil }
        var fields = FieldReader(root)
        return fields.instant("decidedAt")
    }

    package func write(to object: inout JSONWriter) {
        object.set("through", through)
        object.set("decidedAt", decidedAt)
        object.set("source", source.rawValue)
        object.set("decidedBy", decidedBy)
        object.set("rule", rule)
        object.set("rules", rules)
        object.set("outcome", outcome)
        object.set("form", form)
        object.set("body", body)
        object.set("reason", reason)
        if !notes.isEmpty { object.array("notes") { array in for note in notes { array.string(note) } } }
        object.set("service", service)
        object.set("consentRescindedAt", consentRescindedAt)
    }

    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let decidedAt = fields.instant("decidedAt"),
            let source = fields.string("source").flatMap(Source.init(rawValue:)),
            let outcome = fields.string("outcome")
        else { return nil }
        self.init(
            through: fields.instant("through"), decidedAt: decidedAt, source: source, rule: fields.string("rule"),
            outcome: outcome, form: fields.int32("form"), body: fields.string("body"), reason: fields.string("reason"),
            notes: (fields.element("notes")?.elements ?? []).compactMap(\.string))
        decidedBy = fields.string("decidedBy")
        rules = fields.string("rules")
        service = fields.string("service")
        consentRescindedAt = fields.instant("consentRescindedAt")
    }
}

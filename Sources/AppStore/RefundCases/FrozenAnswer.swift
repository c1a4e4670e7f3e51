package import AppStoreModel
package import JSON

/// The answer to a case, decided once: the bytes that are sent however often, or why none are.
///
/// Proposed in the log under the key of the case, where the first of all proposals stands.
package struct FrozenAnswer: RefundStatement {
    /// Who decided.
    package enum Source: String, Sendable, CaseIterable {
        case rules
        case provider
        /// The rules, because the company's service did not answer in time.
        case fallback
        case `operator`
    }

    package var decidedAt: AppStoreInstant
    package var source: Source
    /// The rule that decided; nil for none.
    package var rule: String?
    /// `decline`, `grantFull`, `grantProrated`, `noPreference` or `doNotAnswer`.
    package var outcome: String
    /// Version of Apple's request body, 1 or 2; nil without a body.
    package var form: Int32?
    /// JSON text, sent byte for byte; nil: no answer is given.
    package var body: String?
    /// Why there is no body: a code of ``RefundReason``.
    package var reason: String?
    /// What was left out of the body, and why.
    package var notes: [String] = []

    package init(
        decidedAt: AppStoreInstant, source: Source, rule: String?, outcome: String, form: Int32? = nil,
        body: String? = nil, reason: String? = nil, notes: [String] = []
    ) {
        self.decidedAt = decidedAt
        self.source = source
        self.rule = rule
        self.outcome = outcome
        self.form = form
        self.body = body
        self.reason = reason
        self.notes = notes
    }

    var rank: [Int64] { [-decidedAt.millisecondsSince1970] }

    /// As proposed.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }

    /// Nil for what is no answer.
    package init?(json: [UInt8]) {
        guard let root = try? JSONDocument.object(json).root else { return nil }
        self.init(root)
    }

    func write(to object: inout JSONWriter) {
        object.set("decidedAt", decidedAt)
        object.set("source", source.rawValue)
        object.set("rule", rule)
        object.set("outcome", outcome)
        object.set("form", form)
        object.set("body", body)
        object.set("reason", reason)
        if !notes.isEmpty { object.array("notes") { array in for note in notes { array.string(note) } } }
    }

    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let decidedAt = fields.instant("decidedAt"),
            let source = fields.string("source").flatMap(Source.init(rawValue:)),
            let outcome = fields.string("outcome")
        else { return nil }
        self.init(
            decidedAt: decidedAt, source: source, rule: fields.string("rule"), outcome: outcome,
            form: fields.int32("form"), body: fields.string("body"), reason: fields.string("reason"),
            notes: (fields.element("notes")?.elements ?? []).compactMap(\.string))
    }
}

package import AppStoreModel
internal import JSON

/// Apple accepted the answer.
package struct AnswerAcceptance: RefundStatement {
    package var at: AppStoreInstant
    /// Requests that were sent until then, as far as the member knows that had the last answer.
    package var attempts: Int64

    package init(at: AppStoreInstant, attempts: Int64) {
        self.at = at
        self.attempts = attempts
    }

    var rank: [Int64] { [at.millisecondsSince1970] }

    func write(to object: inout JSONWriter) {
        object.set("at", at)
        object.set("attempts", attempts)
    }

    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let at = fields.instant("at") else { return nil }
        self.init(at: at, attempts: fields.int64("attempts") ?? 0)
    }
}

/// No answer was given, or none that Apple accepted, and none will be.
package struct AnswerEnd: RefundStatement {
    package enum Kind: String, Sendable, CaseIterable {
        /// On purpose: no consent, or the rules say so.
        case withheld
        /// Apple refused it, with an error that trying again does not change.
        case refused
        /// The time was over.
        case missed
    }

    package var kind: Kind
    package var at: AppStoreInstant
    /// A code of ``RefundReason``, or the App Store Server API's.
    package var reason: String

    package init(_ kind: Kind, at: AppStoreInstant, reason: String) {
        self.kind = kind
        self.at = at
        self.reason = reason
    }

    var rank: [Int64] { [at.millisecondsSince1970] }

    func write(to object: inout JSONWriter) {
        object.set("kind", kind.rawValue)
        object.set("at", at)
        object.set("reason", reason)
    }

    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let kind = fields.string("kind").flatMap(Kind.init(rawValue:)), let at = fields.instant("at") else {
            return nil
        }
        self.init(kind, at: at, reason: fields.string("reason") ?? "")
    }
}

/// Why the last attempt was not accepted; recorded when it differs from the one before.
package struct AnswerFailure: RefundStatement {
    package var at: AppStoreInstant
    /// Of HTTP; nil when there was no answer.
    package var status: Int32?
    /// One line.
    package var message: String

    package init(at: AppStoreInstant, status: Int32?, message: String) {
        self.at = at
        self.status = status
        self.message = message
    }

    var rank: [Int64] { [at.millisecondsSince1970] }

    func write(to object: inout JSONWriter) {
        object.set("at", at)
        object.set("status", status)
        object.set("message", message)
    }

    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let at = fields.instant("at") else { return nil }
        self.init(at: at, status: fields.int32("status"), message: fields.string("message") ?? "")
    }
}

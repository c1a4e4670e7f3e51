import AppStoreTestSupport
import AppStoreVerification
import TestSupport

/// The result of one input: the response, its reason, and the record in Kafka.
struct Outcome: Hashable, Sendable, CustomStringConvertible {
    enum Kafka: String, Sendable {
        case nothing = "-"
        case main = "M"
        case sandbox = "S"
        case quarantine = "Q"
        /// The notification is already in another request's record.
        case noNewRecord = "(=)"
    }

    /// 0 if the connection ended without a response.
    let status: Int
    let reason: String
    var kafka = Kafka.nothing
    /// Whether the response closes the connection.
    var closes = false

    var description: String { "\(status) \(reason) \(kafka.rawValue)\(closes ? ", closed" : "")" }

    // MARK: outcomes named in the tables

    static let accepted = Outcome(status: 200, reason: "accepted", kafka: .main)
    static let sandbox = Outcome(status: 200, reason: "sandbox", kafka: .sandbox)
    static let duplicate = Outcome(status: 200, reason: "duplicate", kafka: .noNewRecord)
    /// The request is complete and correctly framed, so the outcome is the verifier's verdict on the body
    /// `{"signedPayload":"x"}`.
    static let read = refused(400, "jws_form")

    /// Responses to input that cannot come from Apple close the connection. Responses to input that may come from Apple
    /// do not.
    static func refused(_ status: Int, _ reason: String) -> Outcome {
        Outcome(status: status, reason: reason, closes: (400...403).contains(status))
    }

    static func closed(_ status: Int, _ reason: String) -> Outcome {
        Outcome(status: status, reason: reason, closes: true)
    }

    static func quarantined(_ reason: String) -> Outcome { Outcome(status: 200, reason: reason, kafka: .quarantine) }

    func closing() -> Outcome { Outcome(status: status, reason: reason, kafka: kafka, closes: true) }

    // MARK: outcomes of shared inputs

    init(status: Int, reason: String, kafka: Kafka = .nothing, closes: Bool = false) {
        self.status = status
        self.reason = reason
        self.kafka = kafka
        self.closes = closes
    }

    /// Creates the outcome of a body with this verdict.
    init(_ verdict: ExpectedVerdict) {
        self =
            switch verdict {
            case .accepted: .accepted
            case .sandbox: .sandbox
            case .nonconforming(let reason): .quarantined(reason.rawValue)
            case .badRequest(let reason): .refused(400, reason.rawValue)
            case .forbidden(let reason), .notForUs(let reason): .refused(403, reason.rawValue)
            case .retryLater(let reason): .refused(reason == .newCertificateChains ? 429 : 503, reason.rawValue)
            case .duplicate: .duplicate
            case .legacy: .refused(403, "v1_disabled")
            }
    }

    /// Creates the outcome of a request with this verdict of the listener, such as `200:21` or `400 framing`.
    init(listener verdict: String, closes: Bool) {
        let words = verdict.split(separator: " ")
        if words.count == 2, let status = Int(words[0]) {
            self.init(status: status, reason: String(words[1]), closes: closes)
        } else {
            self = .read
        }
    }
}

/// One row of the threat model.
struct ThreatModelRow: Sendable {
    let id: String
    let input: String
    /// Every outcome of its inputs, including harmless variants.
    let outcomes: Set<Outcome>
    /// The suite that tests the row, if it is not this one.
    let elsewhere: String?

    init(_ id: String, _ input: String, _ outcomes: Outcome..., elsewhere: String? = nil) {
        self.id = id
        self.input = input
        self.outcomes = Set(outcomes)
        self.elsewhere = elsewhere
    }
}

extension ThreatModelRow {
    /// The row as in `Sources/AppStore/README.md`.
    var line: String {
        let known = outcomes.sorted {
            ($0.status, $0.reason, $0.closes ? 1 : 0) < ($1.status, $1.reason, $1.closes ? 1 : 0)
        }
        let outcome = known.isEmpty ? elsewhere ?? "" : known.map(\.inWords).joined(separator: "; ")
        return "| \(id) | \(input) | \(outcome) |"
    }
}

extension Outcome {
    fileprivate var inWords: String {
        let answer = status == 0 ? "`\(reason)`" : "\(status) `\(reason)`"
        let record =
            switch kafka {
            case .sandbox: ", sandbox topic"
            case .quarantine: ", quarantine topic"
            case .nothing, .main, .noNewRecord: ""
            }
        return answer + record + (closes ? ", closed" : "") + (status == 0 ? " without an answer" : "")
    }
}

internal import AppStoreModel
internal import AppStoreVerification
internal import CommandLine
internal import JSON

/// A verdict and all verification steps, as text and as JSON.
struct VerificationReport {
    /// The outcome. The raw values are a public contract: they are the values of `verdict` in the JSON output.
    enum Outcome: String {
        case accepted, nonconforming, notForUs, notApple, retryLater, legacy
    }

    /// A verification step. The values of `outcome` are a public contract.
    struct Step {
        let number: Int
        let name: String
        let outcome: String
        let detail: String
    }

    let explanation: Explanation
    let outcome: Outcome
    let at: AppStoreInstant
    let steps: [Step]
    let showsPayload: Bool

    /// - Parameters:
    ///   - checksAudience: false if no app is configured, which leaves the outcome of the audience step open.
    ///   - showsPayload: whether to include the decoded payloads.
    init(_ explanation: Explanation, at: AppStoreInstant, checksAudience: Bool, showsPayload: Bool) {
        self.explanation = explanation
        self.at = at
        self.showsPayload = showsPayload
        outcome = Self.outcome(explanation.verdict)
        steps = explanation.steps.map { step in
            let isOpen = step.step == .audience && step.outcome == .passed && !checksAudience
            return Step(
                number: step.step.rawValue, name: "\(step.step)",
                outcome: isOpen ? "notChecked" : step.outcome.rawValue,
                detail: isOpen ? "apps is not set" : step.detail)
        }
    }

    var isAccepted: Bool { outcome == .accepted && explanation.isGood }

    private static func outcome(_ verdict: Verdict?) -> Outcome {
        switch verdict {
        // A valid object that is not in a notification has no verdict.
        case nil, .accepted, .duplicate: .accepted
        case .nonconforming: .nonconforming
        case .notForUs: .notForUs
        case .notApple: .notApple
        case .retryLater: .retryLater
        case .legacy: .legacy
        }
    }

    /// The decoded payloads as signed, with their member names.
    private var payloads: [(name: String, text: [UInt8])] {
        guard showsPayload, let payload = explanation.payload else { return [] }
        var payloads = [(OutputName.payload, payload)]
        if case .accepted(let notification) = explanation.verdict {
            let nested = [
                (OutputName.transaction, notification.transaction), (OutputName.renewalInfo, notification.renewalInfo),
                (OutputName.appTransaction, notification.appTransaction),
            ]
            payloads += nested.compactMap { name, text in text.map { (name, $0) } }
        }
        return payloads
    }

    // MARK: Text

    var text: String {
        var text = PlainText.table(
            steps.map { step in
                [String(step.number), step.name, Self.word(step.outcome), PlainText.printable(step.detail)]
            })
        if !explanation.certificates.isEmpty { text += "\nCertificates\n" }
        for certificate in explanation.certificates {
            text += "  \(PlainText.printable(certificate.subject))\n"
            text +=
                "    serial \(certificate.serial), valid \(Self.date(certificate.notBefore)) to "
                + "\(Self.date(certificate.notAfter))\n"
        }
        for payload in payloads {
            text += "\n\(payload.name)\n  \(PlainText.printable(Self.compact(payload.text), maximum: .max))\n"
        }
        return text + "\n\(conclusion)\n"
    }

    private var conclusion: String {
        let kind = explanation.kind == .unknown ? "" : " (\(explanation.kind.rawValue))"
        let reason = explanation.reason.map { ", reason \($0)" } ?? ""
        return "\(isAccepted ? "accepted" : "refused: \(outcome.rawValue)\(reason)")\(kind), verified as of \(at)"
    }

    private static func word(_ outcome: String) -> String {
        switch outcome {
        case "passed": "ok"
        case "failed": "FAILED"
        case "notReached": "-"
        case "notChecked": "not checked"
        default: outcome
        }
    }

    private static func date(_ seconds: Int64?) -> String {
        guard let instant = instant(seconds) else { return "(unreadable)" }
        return PlainText.seconds(instant)
    }

    private static func instant(_ seconds: Int64?) -> AppStoreInstant? {
        guard let seconds else { return nil }
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : AppStoreInstant(millisecondsSince1970: milliseconds)
    }

    private static func compact(_ json: [UInt8]) -> String {
        let value = try? JSONValue(json: json)
        return String(decoding: value?.json ?? json, as: UTF8.self)
    }

    // MARK: JSON

    var json: JSONObject {
        var object: JSONObject = [
            OutputName.accepted: .bool(isAccepted), OutputName.verdict: .string(outcome.rawValue),
            OutputName.reason: explanation.reason.map { .string($0.rawValue) } ?? .null,
            OutputName.kind: .string(explanation.kind.rawValue), OutputName.at: .string(at.description),
            OutputName.steps: .array(steps.map { .object($0.json) }),
            OutputName.certificates: .array(explanation.certificates.map { .object(Self.json($0)) }),
        ]
        for payload in payloads { object[payload.name] = try? JSONValue(json: payload.text) }
        return object
    }

    private static func json(_ certificate: Explanation.Certificate) -> JSONObject {
        [
            OutputName.subject: .string(certificate.subject), OutputName.issuer: .string(certificate.issuer),
            OutputName.serial: .string(certificate.serial),
            OutputName.notBefore: instant(certificate.notBefore).map { .string($0.description) } ?? .null,
            OutputName.notAfter: instant(certificate.notAfter).map { .string($0.description) } ?? .null,
        ]
    }
}

extension VerificationReport.Step {
    var json: JSONObject {
        [
            OutputName.number: .integer(Int64(number)), OutputName.step: .string(name),
            OutputName.outcome: .string(outcome), OutputName.detail: .string(detail),
        ]
    }
}

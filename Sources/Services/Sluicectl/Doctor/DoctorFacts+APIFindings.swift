internal import AppStoreServerAPI
internal import AppStoreSettings

/// Findings about the App Store Server API, derived only from the facts.
extension DoctorFacts {
    /// The largest accepted clock difference, in milliseconds. A token is valid for five minutes; Apple's tolerance is
    /// undocumented.
    private static let greatestClockDifference: Int64 = 30_000

    var apiFindings: [DoctorFinding] {
        answerFindings
            + unconfirmableApps.map { app in
                DoctorFinding(
                    .warning, .api, of: app,
                    "its version 1 notifications cannot be confirmed, so they do not grant any entitlements",
                    fix:
                        "Set appstore.api.issuer.id, .key.id and .key.file, or set legacy.trust to accept or observe"
                )
            }
    }

    private var answerFindings: [DoctorFinding] {
        switch api {
        case .notAsked: return [Self.skipped(.api, Self.needsConfiguration)]
        case .notConfigured:
            return [
                DoctorFinding(
                    .skipped, .api, "no key is configured",
                    fix: "For refunds and sluicectl api, set appstore.api.issuer.id, .key.id and .key.file")
            ]
        case .wrong(let problem):
            return [DoctorFinding(.problem, .api, problem, fix: "Correct the setting")]
        case .asked(let answers, let warnings):
            return warnings.map { DoctorFinding(.warning, .api, "\($0.setting): \($0.problem)", fix: $0.fix) }
                + answers.map { Self.finding($0) }
        }
    }

    /// The difference between this machine's clock and Apple's. Kafka brokers do not report their time.
    var differenceFindings: [DoctorFinding] {
        let differences: [Int64] =
            if case .asked(let answers, _) = api { answers.compactMap(\.clockDifference) } else { [] }
        guard differences.isEmpty else { return Self.clockFindings(differences) }
        return [
            DoctorFinding(
                .unknown, .clock, of: "difference", "no server returned its time",
                fix: "Check that the clock is synchronized: chronyc tracking, timedatectl")
        ]
    }

    private static func finding(_ answer: APIAnswer) -> DoctorFinding {
        func finding(_ status: FindingStatus, _ found: String, fix: String? = nil) -> DoctorFinding {
            DoctorFinding(status, .api, of: "\(answer.bundleId) \(answer.environment)", found, fix: fix)
        }
        guard let failure = answer.failure else { return finding(.ok, "the token is accepted") }
        switch failure.kind {
        // Apple processed the request, so it accepted the token.
        case .refused where failure.code != nil: return finding(.ok, "the token is accepted")
        case .unauthorized: return finding(.problem, "Apple rejected the token (401)", fix: failure.fix)
        case .rateLimited, .server:
            return finding(.warning, "unknown: \(failure.message)", fix: "Try again later")
        case .noAnswer, .cancelled:
            return finding(
                .problem, "no response: \(failure.message)",
                fix: failure.fix ?? "Allow outgoing HTTPS to appstore.api.url and appstore.api.sandbox.url")
        case .refused, .unreadable, .unverified:
            return finding(
                .problem, "not a response from Apple: \(failure.message)",
                fix: failure.fix ?? "Check appstore.api.url and any proxy between this machine and Apple")
        case .invalidRequest, .noKey: return finding(.problem, failure.message, fix: failure.fix)
        }
    }

    /// Returns one finding about the largest clock difference in any response.
    private static func clockFindings(_ differences: [Int64]) -> [DoctorFinding] {
        guard let difference = differences.max(by: { $0.magnitude < $1.magnitude }) else { return [] }
        let found = "\(difference.magnitude / 1000) s \(difference < 0 ? "behind" : "ahead of") Apple's"
        guard difference.magnitude >= greatestClockDifference else {
            return [DoctorFinding(.ok, .clock, of: "difference", found)]
        }
        return [
            DoctorFinding(
                .problem, .clock, of: "difference", found,
                fix: "Correct the clock (chronyc tracking, timedatectl): Apple rejects tokens with a wrong time")
        ]
    }
}

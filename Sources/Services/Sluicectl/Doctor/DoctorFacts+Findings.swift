internal import AppStoreModel
internal import CommandLine
internal import Cryptography
internal import Kafka
internal import Primitives
internal import ServiceKit

/// Findings derived only from the facts.
extension DoctorFacts {
    /// The earliest plausible time, 2026-11-01T00:00:00Z. The ingress responds with 503 if its clock is earlier than
    /// this, or more than ten years later.
    static let earliestClock = SystemClock.earliestPlausibleMilliseconds
    static let latestClock: Int64 = earliestClock + 3653 * day
    private static let day: Int64 = 86_400_000
    /// The number of days needed to replace a root, which requires a release or a rollout.
    private static let shortestRootLife: Int64 = 90

    var findings: [DoctorFinding] {
        configurationFindings + [clockFinding] + (verifies ? rootFindings + responderFindings : []) + network
            + connectionFindings + brokerFindings + topicFindings + rights
            + (isIngress ? messageSizeFindings : []) + (verifies ? apiFindings : []) + differenceFindings + surroundings
    }

    private var isConfigured: Bool { if case .good = configuration { true } else { false } }

    var profile: DeploymentProfile {
        if case .good(_, let profile, _) = configuration { profile } else { .production }
    }

    static func skipped(_ check: DoctorCheck, _ reason: String) -> DoctorFinding {
        DoctorFinding(.skipped, check, reason)
    }

    static let needsConfiguration = "needs a readable configuration"

    // MARK: configuration and clock

    private var configurationFindings: [DoctorFinding] {
        switch configuration {
        case .good(let apps, let profile, let file):
            let place = file ?? "environment and flags"
            return [
                DoctorFinding(
                    .ok, .configuration,
                    (apps.map { "\($0) \($0 == 1 ? "app" : "apps"), " } ?? "")
                        + "profile \(profile.rawValue), from \(place)")
            ]
        case .wrong(let lines):
            return lines.map {
                DoctorFinding(.problem, .configuration, $0, fix: "\(executable) --help lists every setting")
            }
        }
    }

    private var clockFinding: DoctorFinding {
        let text = PlainText.seconds(AppStoreInstant(clampingMillisecondsSince1970: now))
        guard now >= Self.earliestClock, now <= Self.latestClock else {
            return DoctorFinding(
                .problem, .clock, "\(text), before this version's release or more than ten years after it",
                fix: "Correct the clock (chronyc tracking, timedatectl)"
                    + (isIngress ? "; until then every response is 503" : ""))
        }
        return DoctorFinding(.ok, .clock, text)
    }

    // MARK: roots

    private var rootFindings: [DoctorFinding] {
        guard let roots else { return [Self.skipped(.root, Self.needsConfiguration)] }
        return roots.map(rootFinding)
    }

    private func rootFinding(_ root: Root) -> DoctorFinding {
        func finding(_ status: FindingStatus, _ found: String, fix: String? = nil) -> DoctorFinding {
            DoctorFinding(status, .root, of: root.subject, found, fix: fix)
        }
        let fix = root.isBuiltIn ? "Use an unaltered build" : "Correct root.certificates"
        if let defect = root.defect { return finding(.problem, defect, fix: fix) }
        guard let validity = root.validity else { return finding(.problem, "its dates cannot be parsed", fix: fix) }
        let seconds = now / 1_000
        guard validity.contains(seconds) else {
            let when = seconds < validity.notBefore ? "is not valid yet" : "has expired"
            return finding(
                .problem, "it \(when); every notification is rejected",
                fix: "Correct the clock. If the clock is correct: \(fix)"
            )
        }
        let days = (validity.notAfter - seconds) / (Self.day / 1_000)
        let facts = "fingerprint \(root.fingerprint.prefix(16))…, \(days) days left"
        if days < Self.shortestRootLife {
            return finding(.warning, facts, fix: root.isBuiltIn ? "Update Sluice" : "Add its successor root")
        }
        if root.isBuiltIn { return finding(.ok, "built in, \(facts)") }
        // In the single-node profile, the root belongs to the simulator.
        return profile != .singleNode
            ? finding(
                .warning, "replaces Apple's root, \(facts)",
                fix: "Remove root.certificates, unless this root is trusted to sign as Apple")
            : finding(.ok, "replaces Apple's root, \(facts)")
    }

    // MARK: OCSP

    private var responderFindings: [DoctorFinding] {
        switch responders {
        case .notAsked:
            return [
                DoctorFinding(
                    .skipped, .ocsp, "no certificate was given, so there is no responder to query",
                    fix: "Pass --jws FILE or --certificates FILE")
            ]
        case .unusable(let reason): return [DoctorFinding(.problem, .ocsp, reason)]
        case .asked(let answers): return answers.map { Self.finding($0.subject, $0.address ?? "", $0.answer) }
        }
    }

    private static func finding(_ subject: String, _ address: String, _ answer: Answer) -> DoctorFinding {
        func finding(_ status: FindingStatus, _ found: String, fix: String? = nil) -> DoctorFinding {
            DoctorFinding(status, .ocsp, of: subject, found, fix: fix)
        }
        switch answer {
        case .good: return finding(.ok, "\(address) reports status good")
        case .revoked:
            return finding(
                .problem, "\(address) reports status revoked: notifications signed with this certificate are rejected",
                fix: "deploy/runbooks/revoked.md")
        case .nothing(let code):
            return finding(
                .problem, "\(address) returned no usable status for this certificate: \(code)",
                fix: "Check this machine's clock and any proxy between it and the responder")
        case .unreachable(let reason):
            return finding(
                .problem, "\(address) is unreachable: \(reason)",
                fix: "Allow outgoing HTTP to this responder, or set revocation=off if you accept the risk")
        case .noAddress:
            return finding(
                .warning,
                "contains no OCSP responder URL, so its status is unknown; with revocation=strict, its notifications "
                    + "receive a 503 response",
                fix: "Set revocation=off if sluice-simulator created it, or revocation=soft if you accept the risk")
        }
    }

    // MARK: brokers

    private var brokerFindings: [DoctorFinding] {
        switch brokers {
        case .unknown: return [Self.skipped(.brokers, Self.needsConfiguration)]
        case .silent(let problem, let fix): return [DoctorFinding(.problem, .brokers, problem, fix: fix)]
        case .answering(let clusterId, let isEmbedded):
            if isEmbedded, profile != .singleNode {
                return [
                    DoctorFinding(
                        .problem, .brokers, "\(bootstrapServers) is sluice-dev-broker, which keeps records in memory",
                        fix: "Use Apache Kafka, or set profile=single-node")
                ]
            }
            let found = "\(bootstrapServers) is reachable, \(isEmbedded ? "embedded broker" : "cluster \(clusterId)")"
            return [DoctorFinding(.ok, .brokers, found + brokersInSync)] + scramFindings
        }
    }

    /// Findings about SCRAM. Brokers before Kafka 4 accept parameters that later brokers refuse.
    private var scramFindings: [DoctorFinding] {
        guard let version = scramRefusedByKafka4 else { return [] }
        return [
            DoctorFinding(
                .warning, .brokers, "Kafka 4 and later reject SCRAM from librdkafka \(version)",
                fix:
                    "Before upgrading the brokers, use librdkafka 2.6.1 or later, mTLS, OAUTHBEARER or PLAIN over TLS"
            )
        ]
    }

    /// The brokers that have in-sync replicas of the topics, as text.
    private var brokersInSync: String {
        let ids = Set((topics ?? []).flatMap(\.partitions).flatMap(\.inSyncReplicas)).sorted()
        guard !ids.isEmpty else { return "" }
        let list = ids.map { String($0) }.joined(separator: ", ")
        return ids.count == 1
            ? ", 1 broker (\(list)) stores the topics" : ", \(ids.count) brokers (\(list)) store the topics"
    }
}

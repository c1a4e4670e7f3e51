internal import Kafka

/// Findings about TLS and authentication between this machine and the brokers, derived only from the facts.
extension DoctorFacts {
    private enum Stage {
        case passed
        case failed(String, fix: String)
        case unknown
    }

    var connectionFindings: [DoctorFinding] {
        guard case .good = configuration else { return [] }
        var findings: [DoctorFinding] = []
        if securityProtocol.contains("SSL") {
            findings.append(finding(encryption, .tls, passed: "the brokers' certificate is trusted"))
        }
        if let mechanism {
            findings.append(finding(identity, .authentication, passed: "the brokers accept \(mechanism)"))
        }
        return findings
    }

    private func finding(_ stage: Stage, _ check: DoctorCheck, passed: String) -> DoctorFinding {
        switch stage {
        case .passed: DoctorFinding(.ok, check, passed)
        case .failed(let problem, let fix): DoctorFinding(.problem, check, problem, fix: fix)
        case .unknown: DoctorFinding(.unknown, check, "no broker answered")
        }
    }

    /// The result of the TLS handshake. A broker rejects credentials only after the handshake has succeeded.
    private var encryption: Stage {
        switch trouble {
        case .untrustedCertificate, .expiredCertificate, .futureCertificate, .certificateName, .clientCertificate, .tls:
            failed
        case .credentials, .repeatedNonce, .mechanism, .denied: .passed
        default: answered
        }
    }

    private var identity: Stage {
        switch trouble {
        case .credentials, .repeatedNonce, .mechanism, .token, .tokenRefused: failed
        case .denied: .passed
        default: answered
        }
    }

    private var failed: Stage {
        if case .silent(let problem, let fix) = brokers { .failed(problem, fix: fix) } else { .unknown }
    }

    private var answered: Stage { if case .answering = brokers { .passed } else { .unknown } }
}

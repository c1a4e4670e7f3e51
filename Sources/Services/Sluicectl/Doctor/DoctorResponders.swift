internal import Cryptography
internal import HTTPClient

/// Queries the OCSP responders of a validated certificate chain.
struct DoctorResponders {
    /// A short timeout, for interactive use; the ingress waits longer, in the background.
    private static let timeout = Duration.seconds(4)

    let client: HTTPClient
    /// The current time in seconds since 1970.
    let now: Int64

    /// Queries the responders only if the chain leads to a pinned root. Otherwise, an attacker may have chosen the
    /// addresses.
    func facts(_ certificates: [Certificate], roots: [[UInt8]]) async -> DoctorFacts.Responders {
        let path: CertificatePath
        do throws(CryptographyError) {
            var anchors: [Certificate] = []
            for root in roots { anchors.append(try Certificate(der: root)) }
            switch try TrustStore(roots: anchors).validate(chain: certificates) {
            case .success(let verified): path = verified
            case .failure(let failure):
                return .unusable(
                    "the certificates do not chain to a pinned root (\(failure)), so no responder was queried")
            }
        } catch {
            return .unusable("\(error.message), so no responder was queried")
        }
        var answers: [(subject: String, address: String?, answer: DoctorFacts.Answer)] = []
        for (subject, issuer) in zip(path.certificates, path.certificates.dropFirst()) {
            let name = DoctorFacts.Root.commonName(subject.subject)
            answers.append((name, subject.ocspURL, await answer(about: subject, issuer)))
        }
        return answers.isEmpty ? .unusable("the only certificate is a root") : .asked(answers)
    }

    private func answer(about subject: Certificate, _ issuer: Certificate) async -> DoctorFacts.Answer {
        guard let address = subject.ocspURL else { return .noAddress }
        do {
            let request = try OCSPRequest(subject: subject, issuer: issuer)
            let response = try await client.send(
                HTTPClientRequest(
                    method: "POST", url: address,
                    headers: [
                        ("Content-Type", "application/ocsp-request"), ("Accept", "application/ocsp-response"),
                    ],
                    body: request.der, timeout: Self.timeout, connectTimeout: .seconds(2), maximumBodyBytes: 64 * 1024))
            guard response.status == 200 else { return .unreachable("status \(response.status)") }
            switch request.evaluate(response: response.body, at: now) {
            case .good: return .good
            case .revoked: return .revoked
            case .nothingNew(let failure): return .nothing(failure.rawValue)
            }
        } catch let error as HTTPClientError {
            return .unreachable(error.message)
        } catch {
            return .unreachable("\(error)")
        }
    }
}

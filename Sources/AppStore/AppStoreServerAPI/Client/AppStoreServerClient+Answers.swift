internal import AppStoreModel
internal import AppStoreVerification
internal import Primitives

extension AppStoreServerClient {
    /// Sends a request and parses the response. The signed objects in the response are not verified.
    func answer<Answer: APIAnswer>(
        _ request: APIRequest, to scope: APIScope
    ) async throws(APIError) -> Answer {
        try AnswerReader.read(try await send(request, to: scope), of: request.operation)
    }

    // MARK: Single signed objects

    // The signed objects in a response arrived from Apple over a verified connection, so their certificates only need
    // to have been valid at signedDate.

    /// Verifies a transaction and checks that it belongs to the requested app and environment.
    ///
    /// - Throws: ``RefusedObject``.
    func verified(
        _ signedTransaction: String, renewalInfo: String? = nil, _ operation: APIOperation, _ scope: APIScope
    ) throws(RefusedObject) -> VerifiedTransaction {
        do throws(RefusedObject) {
            let verified: VerifiedTransaction
            do throws(Refusal) {
                verified = try verifier.verify(
                    signedTransaction: Array(signedTransaction.utf8),
                    signedRenewalInfo: renewalInfo.map { Array($0.utf8) }, at: clocks.wallMilliseconds(),
                    certificates: .signature)
            } catch {
                throw RefusedObject(error)
            }
            try check(verified.bundleId, verified.environment, scope)
            return verified
        } catch {
            throw reported(error, operation, scope)
        }
    }

    /// Verifies an app transaction and checks that it belongs to the requested app and environment, like
    /// ``verified(_:renewalInfo:_:_:)``.
    func verified(
        appTransaction: String, _ operation: APIOperation, _ scope: APIScope
    ) throws(RefusedObject) -> VerifiedAppTransaction {
        do throws(RefusedObject) {
            let verified: VerifiedAppTransaction
            do throws(Refusal) {
                verified = try verifier.verify(
                    signedAppTransaction: Array(appTransaction.utf8), at: clocks.wallMilliseconds(),
                    certificates: .signature)
            } catch {
                throw RefusedObject(error)
            }
            try check(verified.bundleId, verified.environment, scope)
            return verified
        } catch {
            throw reported(error, operation, scope)
        }
    }

    /// Returns the verdict that the notification would have received if Apple had posted it: `accepted` or
    /// `nonconforming`.
    ///
    /// - Throws: ``RefusedObject`` for any other verdict.
    func verdict(
        on signedPayload: [UInt8], _ operation: APIOperation, _ scope: APIScope
    ) throws(RefusedObject) -> Verdict {
        let verdict = verifier.verify(
            signedPayload: signedPayload, at: clocks.wallMilliseconds(), certificates: .signature)
        do throws(RefusedObject) {
            switch verdict {
            case .accepted(let notification):
                let envelope = notification.envelope
                try check(envelope.bundleId.value, envelope.environment.value, scope)
            case .nonconforming(let notification):
                // A nonconforming notification may lack the app or the environment. Each one that is present must match
                // the request.
                try check(
                    notification.bundleId.map { BundleId($0) } ?? scope.bundleId,
                    notification.environment.map { AppStoreEnvironment($0) } ?? scope.environment, scope)
            case .notForUs(let refusal), .notApple(let refusal), .retryLater(let refusal):
                throw RefusedObject(refusal)
            case .duplicate:
                throw RefusedObject("reported as a duplicate, although only the ingress detects duplicates")
            case .legacy: throw RefusedObject("a version 1 notification, which is never signed")
            }
            return verdict
        } catch {
            throw reported(error, operation, scope)
        }
    }

    // MARK: Lists of signed objects

    /// Verifies each transaction separately. A refused transaction does not affect the others.
    func verified(
        _ signedTransactions: [String], _ operation: APIOperation, _ scope: APIScope
    ) -> (accepted: [VerifiedTransaction], refused: [RefusedObject]) {
        var (accepted, refused): ([VerifiedTransaction], [RefusedObject]) = ([], [])
        for text in signedTransactions {
            do throws(RefusedObject) {
                accepted.append(try verified(text, operation, scope))
            } catch {
                refused.append(error)
            }
        }
        return (accepted, refused)
    }

    private func check(
        _ bundleId: BundleId?, _ environment: AppStoreEnvironment?, _ scope: APIScope
    ) throws(RefusedObject) {
        if let refused = RefusedObject(bundleId: bundleId, environment: environment, unless: scope) { throw refused }
    }

    private func reported(_ refused: RefusedObject, _ operation: APIOperation, _ scope: APIScope) -> RefusedObject {
        report(.refusedObject(operation, scope, reason: refused.reason))
        return refused
    }
}

extension APIError {
    /// Creates the failure for a response that contains a rejected signed object.
    init(_ refused: RefusedObject, in operation: APIOperation) {
        self.init(
            kind: .unverified, status: 200,
            message: "\(operation): the signed object in the response was rejected: \(refused)",
            isRetriable: refused.isRetriable,
            fix:
                "check apps, root.certificates and appstore.api.url; if all are correct, do not trust the response"
        )
    }
}

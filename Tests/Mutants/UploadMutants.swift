// Uploaded transactions: their verification, and the account that a claim may assign a purchase to.

private let service = "Services/Entitlements/"
private let uploads = MutatedFile(
    .uploads, "upload", service + "TransactionUploads.swift", suites: "UploadTests|UploadAgeTests")
private let start = MutatedFile(.uploads, "start", service + "EntitlementsApplication.swift", suites: "UploadTests")
private let requests = MutatedFile(.uploads, "claim", service + "ChangeRequest.swift", suites: "ClaimTests")
private let changes = MutatedFile(.uploads, "claim", service + "EntitlementChanges.swift", suites: "ClaimTests")

enum UploadMutants {
    static let all: [Mutant] = [
        uploads.mutant("upload-configured-environment", "configured.contains(subject.environment)", "true"),
        uploads.mutant(
            "upload-asked-environment", "upload.environments.environments.contains(subject.environment)", "true"),
        uploads.mutant("upload-age", "known.hasSignedFacts ? facts : first", "facts"),
        uploads.mutant("upload-expired", "error.reason == .certificateTime", "false"),
        start.without(
            "upload-known-certificates",
            """
            await KnownCertificates.load(
                            context.kafka, ProducedTopics(topics), into: verifier, context.logger, .system)
            """),
        uploads.mutant("upload-of-another", "purchase.owner(at: now) != account", "false"),
        uploads.mutant("upload-account", "claim.added(to: added, knowing: known, at: now)", "added"),
        requests.mutant("claim-proof", "isTransfer && isProved", "isTransfer"),
        requests.mutant("claim-transfer", "isTransfer && isProved", "isProved"),
        changes.mutant(
            "claim-other-purchase", "subject.originalTransactionId == request.originalTransactionId", "true"),
        changes.mutant("claim-other-environment", "subject.environment == request.environment", "true"),
    ]
}

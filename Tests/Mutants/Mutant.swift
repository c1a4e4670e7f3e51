let allMutants =
    VerifierMutants.all + TableMutants.all + RevocationMutants.all + HTTPMutants.all + IngressMutants.all
    + WebhooksMutants.all
    + AccessMutants.all + ReadMutants.all
    + StateMutants.all + RefundMutants.all + RefundCaseMutants.all + APIMutants.all
    + LegacyMutants.all + ArchiveMutants.all
    + UploadMutants.all + ReconcilerMutants.all + ConsumerMutants.all + RuntimeMutants.all + ClusterMutants.all
    + RekeyMutants.all
    + RightsMutants.all + PauseMutants.all
    + TroubleMutants.all + TokenMutants.all + DurabilityMutants.all

/// A check that is disabled in a copy of the sources: the replaced texts, and the tests that must fail.
struct Mutant {
    let name: String
    /// The number of the check among the fourteen checks of a decision, or the limit or rule that it belongs to.
    let check: String
    let area: TestArea
    /// Suites that run first, as a regular expression; if they pass, all tests of the area run.
    let suites: String
    /// More than one if two layers make the same check: then a test can fail only if both are disabled.
    let edits: [Edit]
}

/// The area of tests that must fail.
enum TestArea: String, CaseIterable {
    case verifier, revocation, http, ingress, webhooks, consumer, access, reads, state, refund, api, legacy, archive
    case uploads, reconciler, operations
    /// The simulation, which runs beside the other areas and has no mutants of its own.
    case simulation

    /// The area's test targets, as a regular expression over the names of tests.
    var tests: String {
        switch self {
        case .verifier: "^(AppStoreVerificationTests|CryptographyTests|AppStoreModelTests|JSONTests|PrimitivesTests)\\."
        case .revocation: "^(CryptographyTests|AppStoreVerificationTests|IngressTests\\.OCSPOverHTTP)"
        case .http: "^(HTTPServerTests|PrimitivesTests)\\."
        case .access: "^EntitlementRulesTests\\."
        case .reads:
            "^EntitlementsTests\\.(PartitionReading|InputFollower|AnswerAge|AnswerVersion|AccessLog|AccessKeys)Tests"
        case .ingress:
            "^(IngressTests\\.|PublicationTests\\.|AppStoreSettingsTests\\.SharedSecretsTests|"
                + "KafkaTests\\.(ProducerBreakerTests|PendingSendsTests|KafkaProducerFaultTests))"
        case .webhooks: "^(WebhooksTests|SignedRequestsTests)\\."
        case .consumer:
            "^(PipelineRuntimeTests\\.|KafkaTokensTests\\.|"
                + "KafkaTests\\.(DamagedBatchTests|KafkaConfigurationTests|KafkaTrouble|KafkaConnectionTrouble))"
        case .uploads: "^EntitlementsTests\\.(UploadTests|UploadAgeTests|ClaimTests)/"
        case .state: "^KeyedStateTests\\."
        case .refund: "^(RefundRulesTests|RefundCasesTests|RefundsTests)\\."
        case .api: "^AppStoreServerAPITests\\."
        case .legacy: "^(LegacyNotificationsTests|JSONTests)\\."
        case .reconciler: "^(ReconcilerTests|ReconciliationTests)\\."
        case .operations: "^SluicectlTests\\."
        case .simulation: "^SimulationTests\\."
        case .archive:
            "^(ArchiveLogTests|ArchiveKeysTests|ArchiveTests|TransparencyLogTests|ObjectStorageTests)\\."
        }
    }

    /// The test targets to build.
    var testTargets: [String] {
        switch self {
        case .verifier:
            ["AppStoreVerificationTests", "CryptographyTests", "AppStoreModelTests", "JSONTests", "PrimitivesTests"]
        case .revocation: ["CryptographyTests", "AppStoreVerificationTests", "IngressTests"]
        case .http: ["HTTPServerTests", "PrimitivesTests"]
        case .ingress: ["IngressTests", "PublicationTests", "AppStoreSettingsTests", "KafkaTests"]
        case .webhooks: ["WebhooksTests", "SignedRequestsTests"]
        case .consumer: ["PipelineRuntimeTests", "KafkaTests", "KafkaTokensTests"]
        case .access: ["EntitlementRulesTests"]
        case .reads: ["EntitlementsTests"]
        case .uploads: ["EntitlementsTests"]
        case .state: ["KeyedStateTests"]
        case .refund: ["RefundRulesTests", "RefundCasesTests", "RefundsTests"]
        case .api: ["AppStoreServerAPITests"]
        case .legacy: ["LegacyNotificationsTests", "JSONTests"]
        case .reconciler: ["ReconcilerTests", "ReconciliationTests"]
        case .operations: ["SluicectlTests"]
        case .simulation: ["SimulationTests"]
        case .archive:
            [
                "ArchiveLogTests", "ArchiveKeysTests", "ArchiveTests", "TransparencyLogTests",
                "ObjectStorageTests",
            ]
        }
    }
}

/// A text of one source file and its replacement while the mutant is active.
struct Edit {
    enum Kind {
        case expression, statement
    }

    let kind: Kind
    /// The path below `Sources`.
    let file: String
    /// A text before the edit, which applies to the first match after it; without an anchor, the match must be unique.
    let anchor: String?
    let text: String
    let replacement: String
}

/// A source file and the check in it, from which mutants are created, one per line.
struct MutatedFile {
    let area: TestArea
    let check: String
    let file: String
    let suites: String

    init(_ area: TestArea, _ check: String, _ file: String, suites: String) {
        self.area = area
        self.check = check
        self.file = file
        self.suites = suites
    }

    /// Replaces an expression with another one of the same type.
    func expression(_ text: String, after anchor: String? = nil, _ replacement: String) -> Edit {
        Edit(kind: .expression, file: file, anchor: anchor, text: text, replacement: replacement)
    }

    /// Replaces whole statements, which must not contain declarations, with others or with nothing.
    func statement(_ text: String, after anchor: String? = nil, _ replacement: String) -> Edit {
        Edit(kind: .statement, file: file, anchor: anchor, text: text, replacement: replacement)
    }

    /// Creates a mutant that replaces the expression `text` with `replacement`.
    func mutant(_ name: String, _ text: String, after anchor: String? = nil, _ replacement: String) -> Mutant {
        mutant(name, [expression(text, after: anchor, replacement)])
    }

    /// Creates a mutant that removes the statement `text`, or replaces it with `instead`.
    func without(_ name: String, _ text: String, after anchor: String? = nil, instead: String = "") -> Mutant {
        mutant(name, [statement(text, after: anchor, instead)])
    }

    /// Creates a mutant with several edits.
    func mutant(_ name: String, _ edits: [Edit]) -> Mutant {
        Mutant(name: name, check: check, area: area, suites: suites, edits: edits)
    }
}

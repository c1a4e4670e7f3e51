let allMutants =
    VerifierMutants.all + TableMutants.all + RevocationMutants.all + HTTPMutants.all + IngressMutants.all
    + WebhooksMutants.all
    + AccessMutants.all + ReadMutants.all
    + StateMutants.all + RefundMutants.all + RefundCaseMutants.all + APIMutants.all
    + LegacyMutants.all + ArchiveMutants.all
    + UploadMutants.all + ReconcilerMutants.all + ConsumerMutants.all + ClusterMutants.all + RightsMutants.all
    + TroubleMutants.all + TokenMutants.all + DurabilityMutants.all

/// One check removed from a copy of the sources: what is replaced, and whose tests must fail.
struct Mutant {
    let name: String
    /// The number among the fourteen checks of a decision, or the limit or rule that it belongs to.
    let check: String
    let area: TestArea
    /// Suites that are run first, as a regular expression; when they pass, all tests of the area are.
    let suites: String
    /// More than one where two layers refuse the same: then only both together can be missed.
    let edits: [Edit]
}

/// Whose tests must fail.
enum TestArea: String, CaseIterable {
    case verifier, revocation, http, ingress, webhooks, consumer, access, reads, state, refund, api, legacy, archive
    case uploads, reconciler, operations

    /// The test targets, as a regular expression over the names of tests.
    var tests: String {
        switch self {
        case .verifier: "^(AppStoreVerificationTests|CryptographyTests|AppStoreModelTests|JSONTests|BytesTests)\\."
        case .revocation: "^(CryptographyTests|AppStoreVerificationTests|IngressTests\\.OCSPOverHTTP)"
        case .http: "^(HTTPServerTests|ConcurrencyTests)\\."
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
        case .operations: "^OperationsTests\\."
        case .archive:
            "^(ArchiveLogTests|ArchiveFormatTests|ArchiveKeysTests|ArchiveTests|TransparencyLogTests|ObjectStorageTests)\\."
        }
    }

    /// The targets that hold them.
    var testTargets: [String] {
        switch self {
        case .verifier:
            ["AppStoreVerificationTests", "CryptographyTests", "AppStoreModelTests", "JSONTests", "BytesTests"]
        case .revocation: ["CryptographyTests", "AppStoreVerificationTests", "IngressTests"]
        case .http: ["HTTPServerTests", "ConcurrencyTests"]
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
        case .operations: ["OperationsTests"]
        case .archive:
            [
                "ArchiveLogTests", "ArchiveFormatTests", "ArchiveKeysTests", "ArchiveTests", "TransparencyLogTests",
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
    /// Below `Sources`.
    let file: String
    /// The text is the first one after this; without it there must be only one in the file.
    let anchor: String?
    let text: String
    let replacement: String
}

/// One source file and the check in it, from which mutants are written, one per line.
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

    /// An expression that becomes another of the same type.
    func expression(_ text: String, after anchor: String? = nil, _ replacement: String) -> Edit {
        Edit(kind: .expression, file: file, anchor: anchor, text: text, replacement: replacement)
    }

    /// Whole statements, none of which declares anything, that become others or none.
    func statement(_ text: String, after anchor: String? = nil, _ replacement: String) -> Edit {
        Edit(kind: .statement, file: file, anchor: anchor, text: text, replacement: replacement)
    }

    /// `text`, an expression, becomes `replacement`.
    func mutant(_ name: String, _ text: String, after anchor: String? = nil, _ replacement: String) -> Mutant {
        mutant(name, [expression(text, after: anchor, replacement)])
    }

    /// `text`, a statement, is left out.
    func without(_ name: String, _ text: String, after anchor: String? = nil, instead: String = "") -> Mutant {
        mutant(name, [statement(text, after: anchor, instead)])
    }

    /// Several places at once.
    func mutant(_ name: String, _ edits: [Edit]) -> Mutant {
        Mutant(name: name, check: check, area: area, suites: suites, edits: edits)
    }
}

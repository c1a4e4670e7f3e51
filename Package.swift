// swift-tools-version: 6.2
import PackageDescription

// Every target is compiled with these. What each means: https://www.swift.org/swift-evolution/
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .treatAllWarnings(as: .error),  // SE-0443
]

/// - Parameter files: files that become constants of the module.
func module(
    _ name: String, layer: String, uses dependencies: [Target.Dependency] = [], embedding files: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)",
        resources: files.map { .embedInCode($0) }, swiftSettings: settings)
}

func executable(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Executables/\(name)", swiftSettings: settings)
}

func tests(
    _ name: String, layer: String, uses dependencies: [Target.Dependency], excluding excluded: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(layer)/\(name)", exclude: excluded,
        swiftSettings: settings)
}

func systemLibrary(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Platform/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])])
}

// Layer by layer; a target imports from layers below, or from modules above it in its own layer.
let platform: [Target] = [
    systemLibrary("CRdKafka", pkgConfig: "rdkafka", apt: "librdkafka-dev", brew: "librdkafka"),
    systemLibrary("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    systemLibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev", brew: "zstd"),
    systemLibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    .systemLibrary(name: "CFixedKey", path: "Sources/Platform/CFixedKey"),
    .systemLibrary(name: "CSockets", path: "Sources/Platform/CSockets"),
    .systemLibrary(name: "CThreads", path: "Sources/Platform/CThreads"),
    .systemLibrary(name: "CVectors", path: "Sources/Platform/CVectors"),
    .target(name: "CFixedPort", path: "Sources/Platform/CFixedPort"),
    module("Bytes", layer: "Platform", uses: ["CVectors"]),
    module("Time", layer: "Platform"),
    module("Concurrency", layer: "Platform", uses: ["CThreads", "Time"]),
    module("JSON", layer: "Platform", uses: ["Bytes"]),
    module("Telemetry", layer: "Platform", uses: ["Time", "Concurrency", "Bytes", "JSON"]),
    module("Configuration", layer: "Platform", uses: ["Bytes", "JSON"]),
    module("Lifecycle", layer: "Platform", uses: ["Telemetry", "Concurrency", "CThreads"]),
    module("KafkaModel", layer: "Platform"),
    module("Kafka", layer: "Platform", uses: ["CRdKafka", "KafkaModel", "Time", "Concurrency"]),
    module("KafkaDevBroker", layer: "Platform", uses: ["CRdKafka", "Kafka", "Time", "Concurrency"]),
    module("Cryptography", layer: "Platform", uses: ["CFixedKey", "COpenSSL", "Bytes"]),
    module("TransparencyLog", layer: "Platform", uses: ["Bytes", "Cryptography"]),
    module("SQLite", layer: "Platform", uses: ["CSQLite"]),
    module("Zstandard", layer: "Platform", uses: ["CZstd"]),
    module("SignedRequests", layer: "Platform", uses: ["Bytes", "Configuration", "Cryptography"]),
    module("HTTPServer", layer: "Platform", uses: ["CSockets", "Time", "Concurrency", "Bytes"]),
    module("HTTPClient", layer: "Platform", uses: ["CCurl", "Concurrency", "Bytes", "Configuration"]),
    module(
        "ObjectStorage", layer: "Platform",
        uses: ["Bytes", "Concurrency", "Configuration", "Cryptography", "HTTPClient", "JSON", "Time"]),
    module(
        "KafkaTokens", layer: "Platform",
        uses: ["Bytes", "Configuration", "Cryptography", "HTTPClient", "JSON", "Kafka", "ObjectStorage", "Time"]),
]

let appStore: [Target] = [
    module("AppStoreModel", layer: "AppStore", uses: ["JSON", "Time", "Bytes"]),
    module("Records", layer: "AppStore", uses: ["Bytes", "JSON", "AppStoreModel", "KafkaModel", "Cryptography"]),
    module("EntitlementRules", layer: "AppStore", uses: ["JSON", "AppStoreModel"]),
    module(
        "RefundRules", layer: "AppStore", uses: ["JSON", "AppStoreModel", "Configuration", "Cryptography", "Time"]),
    module("RefundCases", layer: "AppStore", uses: ["JSON", "AppStoreModel", "Records", "RefundRules"]),
    module(
        "AppStoreVerification", layer: "AppStore",
        uses: ["JSON", "AppStoreModel", "Bytes", "Concurrency", "Cryptography"]),
    module("LegacyNotifications", layer: "AppStore", uses: ["JSON", "AppStoreModel", "Cryptography"]),
    module(
        "AppStoreServerAPI", layer: "AppStore",
        uses: [
            "AppStoreModel", "AppStoreVerification", "HTTPClient", "JSON", "Bytes", "Time", "Cryptography",
            "Telemetry",
        ]),
    module(
        "Reconciliation", layer: "AppStore",
        uses: [
            "JSON", "AppStoreModel", "AppStoreServerAPI", "AppStoreVerification", "Cryptography", "EntitlementRules",
            "KafkaModel", "Records", "Time",
        ]),
    module(
        "AppStoreSettings", layer: "AppStore",
        uses: [
            "AppStoreModel", "AppStoreVerification", "AppStoreServerAPI", "Records", "Bytes", "Configuration",
            "Cryptography", "HTTPClient", "SignedRequests", "Telemetry", "Time",
        ]),
    module("AppStoreSigning", layer: "AppStore", uses: ["Bytes", "Cryptography"]),
    module(
        "ArchiveLog", layer: "AppStore",
        uses: [
            "JSON", "AppStoreModel", "Cryptography", "KafkaModel", "ObjectStorage", "Records", "RefundCases",
            "TransparencyLog",
        ]),
    module(
        "ArchiveKeys", layer: "AppStore",
        uses: [
            "Bytes", "JSON", "AppStoreModel", "ArchiveLog", "Configuration", "Cryptography", "KafkaModel",
            "ObjectStorage", "Records", "RefundCases", "SQLite", "TransparencyLog",
        ]),
]

let pipeline: [Target] = [
    module(
        "ServiceKit", layer: "Pipeline",
        uses: ["Kafka", "KafkaTokens", "Telemetry", "Configuration", "Lifecycle", "HTTPServer", "HTTPClient"]),
    module(
        "PipelineRuntime", layer: "Pipeline",
        uses: [
            "ServiceKit", "Kafka", "Telemetry", "Configuration", "Lifecycle", "Time", "Concurrency", "Bytes", "JSON",
        ]),
    module(
        "KeyedState", layer: "Pipeline",
        uses: [
            "PipelineRuntime", "Kafka", "SQLite", "Zstandard", "Telemetry", "Configuration", "Lifecycle", "Time",
            "Bytes",
        ]),
    module("PipelineTestKit", layer: "Pipeline", uses: ["PipelineRuntime", "Kafka", "Telemetry", "KafkaDevBroker"]),
]

let services: [Target] = [
    module(
        "Publication", layer: "Services",
        uses: [
            "AppStoreModel", "AppStoreVerification", "Bytes", "Cryptography", "Kafka", "LegacyNotifications", "Records",
            "Telemetry", "Time",
        ]),
    module(
        "Story", layer: "Services",
        uses: [
            "AppStoreModel", "ArchiveKeys", "ArchiveLog", "Bytes", "EntitlementRules", "JSON", "Kafka", "KafkaModel",
            "KeyedState", "Lifecycle", "PipelineRuntime", "Records", "RefundCases",
        ]),
    module(
        "Ingress", layer: "Services",
        uses: [
            "AppStoreModel", "AppStoreSettings", "AppStoreVerification", "Publication", "Records", "ServiceKit",
            "Kafka",
            "HTTPServer", "HTTPClient", "Telemetry", "Configuration", "Lifecycle", "Time", "Concurrency",
            "Cryptography",
        ]),
    module(
        "Entitlements", layer: "Services",
        uses: [
            "JSON", "AppStoreModel", "AppStoreServerAPI", "AppStoreSettings", "AppStoreVerification",
            "EntitlementRules", "Publication", "Records", "RefundCases", "PipelineRuntime", "KeyedState", "ServiceKit",
            "Kafka",
            "HTTPServer", "HTTPClient", "Story", "Telemetry",
            "Configuration", "Cryptography", "Lifecycle", "Time", "Bytes",
        ],
        // A link to the file in deploy.
        embedding: ["entitlements.openapi.json"]),
    module(
        "Webhooks", layer: "Services",
        uses: [
            "AppStoreModel", "Records", "PipelineRuntime", "KeyedState", "ServiceKit", "Kafka", "HTTPClient",
            "Cryptography",
            "Telemetry", "Configuration", "Lifecycle", "Time", "JSON", "SignedRequests",
        ]),
    module(
        "Refunds", layer: "Services",
        uses: [
            "AppStoreModel", "AppStoreServerAPI", "AppStoreSettings", "AppStoreVerification", "Configuration",
            "Cryptography", "HTTPClient", "JSON", "Kafka", "KeyedState", "Lifecycle", "PipelineRuntime", "Records",
            "RefundCases", "RefundRules", "ServiceKit", "SignedRequests", "Telemetry", "Time",
        ]),
    module(
        "Reconciler", layer: "Services",
        uses: [
            "AppStoreModel", "AppStoreServerAPI", "AppStoreSettings", "AppStoreVerification", "Configuration",
            "Cryptography", "HTTPClient", "JSON", "Kafka", "KeyedState", "Lifecycle", "PipelineRuntime", "Publication",
            "Reconciliation", "Records", "ServiceKit", "Telemetry", "Time",
        ]),
    module(
        "Archive", layer: "Services",
        uses: [
            "AppStoreModel", "ArchiveKeys", "ArchiveLog", "Configuration",
            "HTTPClient", "Kafka", "Lifecycle", "ObjectStorage", "PipelineRuntime", "Records", "ServiceKit",
            "SignedRequests", "Telemetry", "Time",
            "TransparencyLog",
        ]),
    module(
        "Simulator", layer: "Services",
        uses: [
            "JSON", "Concurrency", "AppStoreModel", "AppStoreSigning", "Lifecycle", "HTTPClient", "HTTPServer",
            "Telemetry", "Configuration", "Cryptography", "Bytes", "Time",
        ]),
    module(
        "Operations", layer: "Services",
        uses: [
            "Bytes", "JSON", "AppStoreModel", "AppStoreVerification", "AppStoreServerAPI", "AppStoreSettings",
            "ArchiveKeys", "ArchiveLog", "ObjectStorage", "TransparencyLog",
            "EntitlementRules", "Reconciliation", "Records", "PipelineRuntime", "ServiceKit", "Kafka", "KeyedState",
            "RefundCases",
            "RefundRules", "Story", "Cryptography", "SQLite", "HTTPClient", "Telemetry", "Configuration", "Lifecycle",
            "Time",
        ]),
]

let executables: [Target] = [
    module("SharedConfiguration", layer: "Executables"),
    executable(
        "sluice-ingress",
        uses: [
            "Ingress", "ServiceKit", "SharedConfiguration", "Configuration", "Cryptography", "Lifecycle", "Telemetry",
        ]),
    executable(
        "sluice-entitlements", uses: ["Entitlements", "PipelineRuntime", "SharedConfiguration", "Cryptography"]),
    executable("sluice-webhooks", uses: ["Webhooks", "PipelineRuntime", "SharedConfiguration", "Cryptography"]),
    executable("sluice-refunds", uses: ["Refunds", "PipelineRuntime", "SharedConfiguration", "Cryptography"]),
    executable("sluice-archive", uses: ["Archive", "PipelineRuntime", "SharedConfiguration", "Cryptography"]),
    executable("sluice-reconciler", uses: ["Reconciler", "PipelineRuntime", "SharedConfiguration", "Cryptography"]),
    executable("sluice-simulator", uses: ["Simulator", "Bytes", "Configuration", "Cryptography"]),
    executable(
        "sluice-bench",
        uses: [
            "Bytes", "AppStoreModel", "AppStoreSettings", "AppStoreSigning", "AppStoreVerification",
            "ArchiveKeys", "ArchiveLog", "EntitlementRules", "ObjectStorage", "Records", "Simulator", "TransparencyLog",
            "Kafka", "SQLite", "HTTPServer", "Configuration", "Cryptography", "Lifecycle", "Telemetry", "Time",
        ]),
    executable(
        "sluicectl",
        uses: [
            "Operations", "Archive", "Ingress", "Entitlements", "Reconciler", "Refunds", "Webhooks", "PipelineRuntime",
            "ServiceKit", "Bytes", "Configuration",
            "Cryptography",
        ]),
    executable(
        "sluice-dev-broker",
        uses: [
            "Records", "ServiceKit", "SharedConfiguration", "Cryptography", "Kafka", "Configuration", "Lifecycle",
            "Telemetry", "CFixedPort", "KafkaDevBroker",
        ]),
]

// What the tests are written with: vectors, seeds, waiting, Apache Kafka. Only test targets use it.
let testSupport: Target = .target(
    name: "TestSupport", path: "Tests/TestSupport", exclude: ["mldsa44-example.py"], swiftSettings: settings)

// What tests of consumers share: writing and reading topics, running a service.
let pipelineTestSupport: Target = .target(
    name: "PipelineTestSupport", dependencies: ["Kafka", "Lifecycle", "Telemetry", "TestSupport"],
    path: "Tests/Pipeline/PipelineTestSupport", swiftSettings: settings)

// A proxy that damages what a broker answers.
let kafkaTestSupport: Target = .target(
    name: "KafkaTestSupport", path: "Tests/Platform/KafkaTestSupport", swiftSettings: settings)

// What holds of every store of objects, system calls that fail, and a disk that loses power.
let objectStorageTestSupport: Target = .target(
    name: "ObjectStorageTestSupport",
    dependencies: ["Bytes", "Configuration", "Cryptography", "HTTPClient", "ObjectStorage", "TestSupport"],
    path: "Tests/Platform/ObjectStorageTestSupport", swiftSettings: settings)

// Values against a published JSON Schema.
let jsonTestSupport: Target = .target(
    name: "JSONTestSupport", dependencies: ["JSON"], path: "Tests/Platform/JSONTestSupport", swiftSettings: settings)

// The hostile notifications of the threat model, for the verifier alone and for the whole ingress.
let appStoreTestSupport: Target = .target(
    name: "AppStoreTestSupport",
    dependencies: ["Bytes", "AppStoreModel", "AppStoreSigning", "AppStoreVerification", "Cryptography"],
    path: "Tests/AppStore/AppStoreTestSupport", swiftSettings: settings)

// Answers every body with 200, so that HTTP testers have something to speak to.
let httpProbe: Target = .executableTarget(
    name: "http-probe", dependencies: ["HTTPServer"], path: "Tests/EndToEnd/http-probe", swiftSettings: settings)

// A consumer whose handler traps or hangs where its records say so; as one outside this package, it sees what is public.
let pipelineProbe: Target = .executableTarget(
    name: "pipeline-probe", dependencies: ["PipelineRuntime", "Configuration", "Kafka"],
    path: "Tests/Pipeline/pipeline-probe", packageAccess: false, swiftSettings: settings)

// Removes each check in turn from a copy of the sources and runs the tests: `make mutants`.
let mutants: Target = .executableTarget(
    name: "mutants", path: "Tests/Mutants", exclude: ["README.md"], swiftSettings: settings)

// Readers of foreign bytes with what must hold of them; `fuzz` runs them from seeds or under libFuzzer.
let fuzzing: [Target] = [
    .target(
        name: "FuzzTargets",
        dependencies: [
            "Bytes", "JSON", "AppStoreModel", "AppStoreSigning", "AppStoreServerAPI", "AppStoreVerification",
            "ArchiveLog", "Configuration",
            "Cryptography",
            "EntitlementRules", "HTTPServer", "KafkaModel", "LegacyNotifications", "Records", "RefundRules",
            "Simulator", "TransparencyLog",
            "TestSupport",
        ], path: "Tests/Fuzzing/FuzzTargets", swiftSettings: settings),
    .executableTarget(
        name: "fuzz", dependencies: ["AppStoreVerification", "FuzzTargets", "TestSupport"],
        path: "Tests/Fuzzing/FuzzRunner",
        swiftSettings: settings),
    tests(
        "FuzzTests", layer: "Fuzzing",
        uses: ["Bytes", "FuzzTargets", "AppStoreVerification", "Cryptography", "TestSupport"]),
]

let package = Package(
    name: "sluice",
    products: [
        // What third parties build on: a small public face. The executables are products by themselves.
        .library(name: "Kafka", targets: ["Kafka"]),
        .library(name: "Configuration", targets: ["Configuration"]),
        .library(name: "Telemetry", targets: ["Telemetry"]),
        .library(name: "Lifecycle", targets: ["Lifecycle"]),
        .library(name: "ServiceKit", targets: ["ServiceKit"]),
        .library(name: "PipelineRuntime", targets: ["PipelineRuntime"]),
        .library(name: "KeyedState", targets: ["KeyedState"]),
        .library(name: "PipelineTestKit", targets: ["PipelineTestKit"]),
        .library(name: "HTTPServer", targets: ["HTTPServer"]),
        .library(name: "HTTPClient", targets: ["HTTPClient"]),
        .library(name: "AppStoreModel", targets: ["AppStoreModel", "Records"]),
        .library(name: "AppStoreVerification", targets: ["AppStoreVerification"]),
    ],
    targets: platform + appStore + pipeline + services + executables + fuzzing + [
        testSupport, kafkaTestSupport, jsonTestSupport, objectStorageTestSupport, pipelineTestSupport,
        appStoreTestSupport, httpProbe,
        pipelineProbe, mutants,
        .testTarget(
            name: "MutantTests", dependencies: ["mutants"], path: "Tests/MutantTests", swiftSettings: settings),
        tests("TelemetryTests", layer: "Platform", uses: ["Telemetry", "TestSupport"]),
        tests("ConfigurationTests", layer: "Platform", uses: ["Configuration", "TestSupport"]),
        tests("LifecycleTests", layer: "Platform", uses: ["Lifecycle", "Telemetry", "TestSupport"]),
        tests(
            "KafkaTests", layer: "Platform",
            uses: ["Kafka", "KafkaDevBroker", "KafkaModel", "Concurrency", "KafkaTestSupport", "TestSupport"]),
        tests(
            "KafkaTokensTests", layer: "Platform",
            uses: ["Bytes", "Configuration", "HTTPClient", "Kafka", "KafkaTokens", "ObjectStorage", "TestSupport"]),
        tests("SignedRequestsTests", layer: "Platform", uses: ["SignedRequests", "Configuration"]),
        tests("CryptographyTests", layer: "Platform", uses: ["Bytes", "Cryptography", "TestSupport"]),
        tests(
            "TransparencyLogTests", layer: "Platform",
            uses: ["Bytes", "Cryptography", "TransparencyLog", "TestSupport"]),
        tests("ZstandardTests", layer: "Platform", uses: ["Zstandard", "TestSupport"]),
        tests("SQLiteTests", layer: "Platform", uses: ["SQLite", "TestSupport"]),
        tests("HTTPServerTests", layer: "Platform", uses: ["HTTPServer", "TestSupport", "Time"]),
        tests(
            "HTTPClientTests", layer: "Platform", uses: ["Configuration", "HTTPClient", "HTTPServer", "TestSupport"]),
        tests(
            "ObjectStorageTests", layer: "Platform",
            uses: [
                "Configuration", "HTTPClient", "ObjectStorage", "ObjectStorageTestSupport", "TestSupport", "Time",
            ]),
        tests("BytesTests", layer: "Platform", uses: ["Bytes", "TestSupport"]),
        tests("TimeTests", layer: "Platform", uses: ["Time", "TestSupport"]),
        tests("ConcurrencyTests", layer: "Platform", uses: ["Concurrency"]),
        tests("JSONTests", layer: "Platform", uses: ["JSON", "TestSupport"]),
        tests("AppStoreModelTests", layer: "AppStore", uses: ["JSON", "AppStoreModel", "TestSupport"]),
        tests(
            "RecordsTests", layer: "AppStore",
            uses: ["Bytes", "JSON", "Records", "AppStoreModel", "KafkaModel", "TestSupport"]),
        tests(
            "ArchiveLogTests", layer: "AppStore",
            uses: [
                "AppStoreModel", "ArchiveLog", "Cryptography", "HTTPClient", "Kafka", "KafkaModel", "ObjectStorage",
                "ObjectStorageTestSupport", "Records", "RefundCases", "TestSupport", "TransparencyLog",
            ], excluding: ["tlog_reader.py"]),
        tests(
            "ArchiveKeysTests", layer: "AppStore",
            uses: [
                "AppStoreModel", "ArchiveKeys", "ArchiveLog", "Bytes", "Cryptography", "KafkaModel", "SQLite",
                "TestSupport",
            ]),
        tests(
            "EntitlementRulesTests", layer: "AppStore",
            uses: ["JSON", "EntitlementRules", "AppStoreModel", "TestSupport"]),
        tests(
            "RefundCasesTests", layer: "AppStore",
            uses: ["JSON", "AppStoreModel", "KafkaModel", "Records", "RefundCases", "TestSupport"]),
        tests(
            "ReconciliationTests", layer: "AppStore",
            uses: ["AppStoreModel", "JSON", "Reconciliation", "TestSupport"]),
        tests(
            "RefundRulesTests", layer: "AppStore",
            uses: ["JSON", "RefundRules", "AppStoreModel", "JSONTestSupport", "TestSupport"]),
        tests(
            "LegacyNotificationsTests", layer: "AppStore",
            uses: ["JSON", "LegacyNotifications", "AppStoreModel", "Cryptography", "EntitlementRules"]),
        tests(
            "AppStoreVerificationTests", layer: "AppStore",
            uses: [
                "Bytes", "JSON", "AppStoreVerification", "AppStoreSigning", "AppStoreModel", "Cryptography",
                "AppStoreTestSupport", "TestSupport",
            ]),
        tests(
            "AppStoreServerAPITests", layer: "AppStore",
            uses: [
                "AppStoreServerAPI", "AppStoreModel", "AppStoreVerification", "Cryptography", "HTTPClient",
                "HTTPServer", "JSON", "Time", "AppStoreTestSupport", "TestSupport",
            ]),
        tests(
            "AppStoreSettingsTests", layer: "AppStore",
            uses: [
                "AppStoreSettings", "AppStoreServerAPI", "AppStoreModel", "Configuration", "Cryptography",
                "TestSupport",
            ]),
        tests(
            "AppStoreSigningTests", layer: "AppStore",
            uses: ["Bytes", "AppStoreSigning", "AppStoreTestSupport", "Cryptography", "TestSupport"]),
        tests(
            "PipelineRuntimeTests", layer: "Pipeline",
            uses: [
                "PipelineRuntime", "Kafka", "Telemetry", "Configuration", "Lifecycle", "KafkaDevBroker",
                "JSONTestSupport", "KafkaTestSupport", "PipelineTestSupport", "TestSupport",
            ]),
        tests(
            "ServiceKitTests", layer: "Pipeline",
            uses: ["ServiceKit", "Kafka", "Configuration", "Lifecycle", "Telemetry", "KafkaDevBroker", "TestSupport"]),
        tests(
            "KeyedStateTests", layer: "Pipeline",
            uses: [
                "KeyedState", "PipelineRuntime", "Kafka", "SQLite", "Zstandard", "Telemetry", "Lifecycle",
                "KafkaDevBroker", "Time", "Concurrency", "PipelineTestSupport", "TestSupport",
            ]),
        tests(
            "PipelineTestKitTests", layer: "Pipeline",
            uses: ["PipelineTestKit", "PipelineRuntime", "Kafka", "TestSupport"]),
        tests(
            "PublicationTests", layer: "Services",
            uses: ["Publication", "AppStoreModel", "Cryptography", "Kafka", "Records"]),
        tests(
            "IngressTests", layer: "Services",
            uses: [
                "Ingress", "JSON", "Publication", "Simulator", "ServiceKit", "AppStoreSettings", "AppStoreSigning",
                "AppStoreVerification",
                "AppStoreModel",
                "Records", "Kafka", "Cryptography", "HTTPServer", "HTTPClient", "Configuration", "Telemetry",
                "Lifecycle", "KafkaDevBroker", "Time", "AppStoreTestSupport", "Bytes", "TestSupport",
            ]),
        tests(
            "EntitlementsTests", layer: "Services",
            uses: [
                "Entitlements", "JSON", "AppStoreModel", "AppStoreServerAPI", "AppStoreSigning", "Records",
                "EntitlementRules", "PipelineRuntime", "Simulator", "Story",
                "KeyedState", "Kafka", "SQLite", "HTTPClient", "HTTPServer", "Configuration", "Lifecycle", "Telemetry",
                "KafkaDevBroker", "Cryptography", "Time", "PipelineTestSupport", "TestSupport",
            ]),
        tests(
            "WebhooksTests", layer: "Services",
            uses: [
                "Webhooks", "AppStoreModel", "Records", "PipelineRuntime", "PipelineTestKit", "Kafka", "HTTPServer",
                "HTTPClient", "Cryptography", "Configuration", "Lifecycle", "Telemetry", "KafkaDevBroker", "JSON",
                "Bytes", "Time", "JSONTestSupport", "PipelineTestSupport", "TestSupport",
            ]),
        tests(
            "RefundsTests", layer: "Services",
            uses: [
                "AppStoreModel", "AppStoreServerAPI", "AppStoreSigning", "Configuration", "HTTPClient", "HTTPServer",
                "JSON",
                "JSONTestSupport", "Kafka",
                "KafkaDevBroker", "Lifecycle", "PipelineRuntime", "PipelineTestSupport", "Records", "RefundCases",
                "RefundRules", "KeyedState",
                "Refunds", "SignedRequests", "Simulator", "Telemetry", "TestSupport", "Time",
            ]),
        tests(
            "ArchiveTests", layer: "Services",
            uses: [
                "AppStoreModel", "Archive", "Bytes", "ArchiveKeys", "ArchiveLog", "Configuration",
                "Cryptography", "HTTPClient", "HTTPServer", "Kafka", "KafkaDevBroker", "Lifecycle", "ObjectStorage",
                "ObjectStorageTestSupport", "PipelineRuntime",
                "PipelineTestSupport", "Records", "SQLite", "Telemetry", "TestSupport", "Time", "TransparencyLog",
            ]),
        tests(
            "ReconcilerTests", layer: "Services",
            uses: [
                "AppStoreModel", "AppStoreSigning", "Configuration", "Cryptography", "EntitlementRules", "HTTPServer",
                "JSON", "Kafka", "KafkaDevBroker", "Lifecycle", "PipelineRuntime", "PipelineTestSupport", "Reconciler",
                "Reconciliation", "Records", "Simulator", "Telemetry", "TestSupport", "Time",
            ]),
        tests(
            "SimulatorTests", layer: "Services",
            uses: [
                "Simulator", "EntitlementRules", "LegacyNotifications", "AppStoreServerAPI", "AppStoreVerification",
                "AppStoreSigning", "AppStoreModel", "Bytes",
                "Configuration", "Cryptography", "HTTPClient", "JSON", "Time", "TestSupport",
            ]),
        tests("StoryTests", layer: "Services", uses: ["Story", "AppStoreModel", "EntitlementRules", "JSON"]),
        tests(
            "OperationsTests", layer: "Services",
            uses: [
                "AppStoreServerAPI", "AppStoreSettings", "JSON", "Operations", "PipelineRuntime", "Ingress",
                "ServiceKit", "AppStoreModel", "AppStoreSigning", "AppStoreVerification",
                "ArchiveKeys", "ArchiveLog", "ObjectStorage", "SQLite", "TransparencyLog",
                "Bytes", "EntitlementRules", "Entitlements", "Reconciliation", "Records", "RefundCases", "KeyedState",
                "Kafka",
                "Cryptography", "HTTPServer", "Configuration", "Lifecycle", "Telemetry", "KafkaDevBroker", "Time",
                "AppStoreTestSupport", "PipelineTestSupport", "TestSupport",
            ]),
        tests(
            "SharedConfigurationTests", layer: "Executables",
            uses: [
                "SharedConfiguration", "Archive", "Ingress", "Entitlements", "Reconciler", "Refunds", "Webhooks",
                "Operations",
                "Simulator",
                "Configuration", "Cryptography", "Kafka", "KafkaDevBroker", "Lifecycle", "PipelineRuntime", "Records",
                "Telemetry", "TestSupport",
            ]),
        // It starts the executables but links none of them: what they override would be overridden in the tests too.
        tests(
            "EndToEndTests", layer: "EndToEnd",
            uses: [
                "AppStoreModel", "AppStoreServerAPI", "AppStoreSigning", "AppStoreVerification", "EntitlementRules",
                "Records", "Simulator", "Kafka", "HTTPClient", "HTTPServer", "JSONTestSupport", "TestSupport", "Time",
                "Bytes", "Cryptography",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

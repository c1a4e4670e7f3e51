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

enum Layer: String {
    case platform = "Platform"
    case appStore = "AppStore"
    case archive = "Archive"
    case pipeline = "Pipeline"
    case services = "Services"
    case executables = "Executables"
    case fuzzing = "Fuzzing"
    case endToEnd = "EndToEnd"
}

/// The targets that texts name, separated by spaces.
func named(_ names: [String]) -> [Target.Dependency] {
    names.flatMap { $0.split(separator: " ") }.map { .byName(name: String($0)) }
}

/// - Parameter files: files that become constants of the module.
func module(_ name: String, _ layer: Layer, _ uses: String..., embedding files: [String] = []) -> Target {
    .target(
        name: name, dependencies: named(uses), path: "Sources/\(layer.rawValue)/\(name)",
        resources: files.map { .embedInCode($0) }, swiftSettings: settings)
}

func executable(_ name: String, _ uses: String..., in folder: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: named(uses), path: folder ?? "Sources/Executables/\(name)", swiftSettings: settings)
}

func tests(_ name: String, _ layer: Layer, _ uses: String..., excluding excluded: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: named(uses), path: "Tests/\(layer.rawValue)/\(name)", exclude: excluded,
        swiftSettings: settings)
}

/// A module that only tests use.
func testModule(_ name: String, _ uses: String..., in folder: String, excluding excluded: [String] = []) -> Target {
    .target(
        name: name, dependencies: named(uses), path: "Tests/\(folder)", exclude: excluded, swiftSettings: settings)
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
    .systemLibrary(name: "CSystem", path: "Sources/Platform/CSystem"),
    module("Primitives", .platform, "CSystem"),
    module("JSON", .platform, "Primitives"),
    module("Telemetry", .platform, "JSON Primitives"),
    module("Configuration", .platform, "JSON Primitives"),
    module("Lifecycle", .platform, "CSystem Primitives Telemetry"),
    module("CommandLine", .platform, "Configuration CSystem Lifecycle Primitives"),
    module("KafkaModel", .platform),
    module("Tracing", .platform, "KafkaModel Primitives Telemetry"),
    module("Kafka", .platform, "CRdKafka KafkaModel Primitives"),
    module("KafkaDevBroker", .platform, "CRdKafka Kafka Primitives"),
    module("Cryptography", .platform, "COpenSSL Primitives"),
    module("TransparencyLog", .platform, "Cryptography Primitives"),
    module("SQLite", .platform, "CSQLite"),
    module("Zstandard", .platform, "CZstd"),
    module("SignedRequests", .platform, "Configuration Cryptography Primitives"),
    module("HTTPServer", .platform, "CSystem Primitives"),
    module("HTTPClient", .platform, "CCurl Configuration Primitives"),
    module("OTLP", .platform, "Configuration HTTPClient JSON Lifecycle Primitives Telemetry Tracing"),
    module("ObjectStorage", .platform, "Configuration Cryptography HTTPClient JSON Primitives"),
    module("KafkaTokens", .platform, "Configuration Cryptography HTTPClient JSON Kafka ObjectStorage Primitives"),
]

let appStore: [Target] = [
    module("AppStoreModel", .appStore, "JSON Primitives"),
    module("Records", .appStore, "AppStoreModel Cryptography JSON KafkaModel Primitives"),
    module("EntitlementRules", .appStore, "AppStoreModel JSON"),
    module("AppStoreVerification", .appStore, "AppStoreModel Cryptography JSON Primitives"),
    module("LegacyNotifications", .appStore, "AppStoreModel Cryptography JSON"),
    module(
        "AppStoreServerAPI", .appStore, "AppStoreModel AppStoreVerification Cryptography HTTPClient JSON Primitives",
        "Telemetry Tracing"),
    module(
        "Reconciliation", .appStore, "AppStoreModel AppStoreServerAPI AppStoreVerification Cryptography",
        "EntitlementRules JSON KafkaModel Primitives Records"),
    module(
        "AppStoreSettings", .appStore, "AppStoreModel AppStoreServerAPI AppStoreVerification Configuration",
        "Cryptography HTTPClient Primitives Records SignedRequests Telemetry"),
    module("AppStoreSigning", .appStore, "Cryptography Primitives"),
    module(
        "Publication", .appStore, "AppStoreModel AppStoreVerification Cryptography Kafka LegacyNotifications",
        "Primitives Records Telemetry Tracing"),
    module("RefundRules", .appStore, "AppStoreModel Configuration Cryptography JSON Primitives Records"),
]

let archive: [Target] = [
    module(
        "ArchiveLog", .archive, "AppStoreModel Cryptography JSON KafkaModel ObjectStorage Records RefundRules",
        "TransparencyLog"),
    module(
        "ArchiveKeys", .archive, "AppStoreModel ArchiveLog Configuration Cryptography JSON KafkaModel ObjectStorage",
        "Primitives Records RefundRules SQLite TransparencyLog"),
]

let pipeline: [Target] = [
    module("ServiceKit", .pipeline, "Configuration HTTPClient HTTPServer Kafka KafkaTokens Lifecycle OTLP Telemetry"),
    module(
        "OperatorEvents", .pipeline, "Configuration JSON Kafka Lifecycle Primitives ServiceKit Telemetry"),
    module(
        "PipelineRuntime", .pipeline, "CommandLine Configuration JSON Kafka Lifecycle OTLP OperatorEvents Primitives",
        "ServiceKit Telemetry Tracing"),
    module(
        "KeyedState", .pipeline, "Configuration Kafka Lifecycle OperatorEvents PipelineRuntime Primitives SQLite",
        "Telemetry Tracing Zstandard"),
    module("PipelineTestKit", .pipeline, "Kafka KafkaDevBroker PipelineRuntime Telemetry"),
]

let services: [Target] = [
    module(
        "Story", .services, "AppStoreModel ArchiveKeys ArchiveLog EntitlementRules JSON Kafka KafkaModel KeyedState",
        "Lifecycle PipelineRuntime Primitives Records RefundRules"),
    module(
        "Ingress", .services, "AppStoreModel AppStoreSettings AppStoreVerification CommandLine Configuration",
        "Cryptography HTTPClient HTTPServer Kafka Lifecycle OperatorEvents Primitives Publication Records ServiceKit",
        "Telemetry Tracing"),
    module(
        "Entitlements", .services, "AppStoreModel AppStoreServerAPI AppStoreSettings AppStoreVerification CommandLine",
        "Configuration Cryptography EntitlementRules HTTPClient HTTPServer JSON Kafka KeyedState Lifecycle",
        "OperatorEvents PipelineRuntime Primitives Publication Records RefundRules ServiceKit Story Telemetry",
        embedding: ["entitlements.openapi.json"]),
    module(
        "Webhooks", .services, "AppStoreModel CommandLine Configuration Cryptography HTTPClient JSON Kafka KeyedState",
        "Lifecycle OperatorEvents PipelineRuntime Primitives Records ServiceKit SignedRequests Telemetry Tracing"),
    module(
        "Refunds", .services, "AppStoreModel AppStoreServerAPI AppStoreSettings AppStoreVerification CommandLine",
        "Configuration Cryptography HTTPClient JSON Kafka KeyedState Lifecycle OperatorEvents PipelineRuntime",
        "Primitives Records RefundRules ServiceKit SignedRequests Telemetry Tracing"),
    module(
        "Reconciler", .services, "AppStoreModel AppStoreServerAPI AppStoreSettings AppStoreVerification CommandLine",
        "Configuration Cryptography HTTPClient JSON Kafka KeyedState Lifecycle OperatorEvents PipelineRuntime",
        "Primitives Publication Reconciliation Records ServiceKit Telemetry"),
    module(
        "Archive", .services, "AppStoreModel ArchiveKeys ArchiveLog CommandLine Configuration HTTPClient Kafka",
        "Lifecycle ObjectStorage OperatorEvents PipelineRuntime Primitives Records ServiceKit SignedRequests",
        "Telemetry TransparencyLog"),
    module(
        "Simulator", .services, "AppStoreModel AppStoreSigning CommandLine Configuration Cryptography HTTPClient",
        "HTTPServer JSON Lifecycle Primitives Telemetry"),
    module(
        "Sluicectl", .services, "AppStoreModel AppStoreServerAPI AppStoreSettings AppStoreVerification ArchiveKeys",
        "ArchiveLog CommandLine Configuration Cryptography EntitlementRules HTTPClient JSON Kafka KafkaTokens",
        "KeyedState Lifecycle ObjectStorage PipelineRuntime Primitives Reconciliation Records RefundRules ServiceKit",
        "SQLite Story Telemetry TransparencyLog"),
]

let executables: [Target] = [
    .target(name: "CFixedPort", path: "Sources/Executables/CFixedPort"),
    module("SharedConfiguration", .executables),
    executable(
        "sluice-ingress", "CommandLine Configuration Cryptography Ingress Lifecycle OTLP ServiceKit",
        "SharedConfiguration Telemetry"),
    executable("sluice-entitlements", "Cryptography Entitlements PipelineRuntime SharedConfiguration"),
    executable("sluice-webhooks", "Cryptography PipelineRuntime SharedConfiguration Webhooks"),
    executable("sluice-refunds", "Cryptography PipelineRuntime Refunds SharedConfiguration"),
    executable("sluice-archive", "Archive Cryptography PipelineRuntime SharedConfiguration"),
    executable("sluice-reconciler", "Cryptography PipelineRuntime Reconciler SharedConfiguration"),
    executable("sluice-simulator", "CommandLine Cryptography Lifecycle Primitives Simulator"),
    executable(
        "sluicectl", "Archive CommandLine Configuration Cryptography Entitlements Ingress OperatorEvents",
        "PipelineRuntime Primitives Reconciler Refunds ServiceKit Sluicectl Webhooks"),
    executable(
        "sluice-dev-broker", "CFixedPort CommandLine Configuration Cryptography Kafka KafkaDevBroker Lifecycle Records",
        "ServiceKit SharedConfiguration Telemetry"),
    executable(
        "sluice-bench", "AppStoreModel AppStoreSettings AppStoreSigning AppStoreVerification ArchiveKeys ArchiveLog",
        "CommandLine Configuration Cryptography EntitlementRules HTTPServer Kafka Lifecycle ObjectStorage Primitives",
        "Records Simulator SQLite Telemetry TransparencyLog", in: "Tests/Benchmarks"),
]

// Only tests use these.
let testSupport: [Target] = [
    // Vectors, seeds, waiting, Apache Kafka.
    testModule("TestSupport", in: "TestSupport", excluding: ["mldsa44-example.py"]),
    // Writing and reading topics, and running a service.
    testModule("PipelineTestSupport", "Kafka Lifecycle Telemetry TestSupport", in: "Pipeline/PipelineTestSupport"),
    // Records operator events and compares them with their schema.
    testModule(
        "OperatorEventsTestSupport", "JSON JSONTestSupport Kafka OperatorEvents",
        in: "Pipeline/OperatorEventsTestSupport"),
    // A proxy that damages a broker's responses.
    testModule("KafkaTestSupport", in: "Platform/KafkaTestSupport"),
    // The contract of every object store, failing system calls, and a disk that loses power.
    testModule(
        "ObjectStorageTestSupport", "Configuration Cryptography HTTPClient ObjectStorage Primitives TestSupport",
        in: "Platform/ObjectStorageTestSupport"),
    // A receiver of traces and metrics.
    testModule("OTLPTestSupport", "HTTPServer JSON", in: "Platform/OTLPTestSupport"),
    // Values against a published JSON Schema.
    testModule("JSONTestSupport", "JSON", in: "Platform/JSONTestSupport"),
    // The hostile notifications of the threat model, for the verifier alone and for the whole ingress.
    testModule(
        "AppStoreTestSupport", "AppStoreModel AppStoreSigning AppStoreVerification Cryptography Primitives",
        in: "AppStore/AppStoreTestSupport"),
    // Answers every body with 200, for HTTP testers.
    executable("http-probe", "HTTPServer", in: "Tests/EndToEnd/http-probe"),
    // A consumer whose handler traps or hangs where its records say so. Like one outside this package, it sees only
    // public declarations.
    .executableTarget(
        name: "pipeline-probe", dependencies: named(["PipelineRuntime Configuration Kafka"]),
        path: "Tests/Pipeline/pipeline-probe", packageAccess: false, swiftSettings: settings),
    // Removes each check in turn from a copy of the sources and runs the tests: `make mutants`.
    .executableTarget(name: "mutants", path: "Tests/Mutants", exclude: ["README.md"], swiftSettings: settings),
    .testTarget(name: "MutantTests", dependencies: ["mutants"], path: "Tests/MutantTests", swiftSettings: settings),
]

// Parsers of untrusted bytes with their invariants; `fuzz` runs them from seeds or under libFuzzer.
let fuzzing: [Target] = [
    testModule(
        "FuzzTargets", "AppStoreModel AppStoreServerAPI AppStoreSigning AppStoreVerification ArchiveLog Configuration",
        "Cryptography EntitlementRules HTTPServer JSON KafkaModel LegacyNotifications Primitives Records RefundRules",
        "Simulator TestSupport TransparencyLog", in: "Fuzzing/FuzzTargets"),
    executable("fuzz", "AppStoreVerification FuzzTargets TestSupport", in: "Tests/Fuzzing/FuzzRunner"),
    tests("FuzzTests", .fuzzing, "AppStoreVerification Cryptography FuzzTargets Primitives TestSupport"),
]

// EndToEndTests starts the executables but links none of them, because functions that they override would be
// overridden in the tests, too.
let suites: [Target] = [
    tests("TelemetryTests", .platform, "Telemetry TestSupport"),
    tests("TracingTests", .platform, "KafkaModel Telemetry Tracing"),
    tests("ConfigurationTests", .platform, "CommandLine Configuration Lifecycle TestSupport"),
    tests("LifecycleTests", .platform, "Lifecycle Telemetry TestSupport"),
    tests("KafkaTests", .platform, "Kafka KafkaDevBroker KafkaModel KafkaTestSupport Primitives TestSupport"),
    tests(
        "KafkaTokensTests", .platform, "CommandLine Configuration HTTPClient Kafka KafkaTokens ObjectStorage",
        "Primitives TestSupport"),
    tests("SignedRequestsTests", .platform, "Configuration SignedRequests"),
    tests("CryptographyTests", .platform, "Cryptography Primitives TestSupport"),
    tests("TransparencyLogTests", .platform, "Cryptography Primitives TestSupport TransparencyLog"),
    tests("ZstandardTests", .platform, "TestSupport Zstandard"),
    tests("SQLiteTests", .platform, "SQLite TestSupport"),
    tests("HTTPServerTests", .platform, "HTTPServer Primitives TestSupport"),
    tests("HTTPClientTests", .platform, "CommandLine Configuration HTTPClient HTTPServer TestSupport"),
    tests(
        "OTLPTests", .platform, "CommandLine Configuration HTTPClient HTTPServer JSON Lifecycle OTLP OTLPTestSupport",
        "Telemetry TestSupport Tracing"),
    tests(
        "ObjectStorageTests", .platform, "CommandLine Configuration HTTPClient ObjectStorage ObjectStorageTestSupport",
        "Primitives TestSupport"),
    tests("JSONTests", .platform, "JSON TestSupport"),
    tests("PrimitivesTests", .platform, "Primitives TestSupport"),
    tests("AppStoreModelTests", .appStore, "AppStoreModel JSON TestSupport"),
    tests("RecordsTests", .appStore, "AppStoreModel JSON KafkaModel Primitives Records TestSupport"),
    tests("EntitlementRulesTests", .appStore, "AppStoreModel EntitlementRules JSON TestSupport"),
    tests("RefundCasesTests", .appStore, "AppStoreModel JSON KafkaModel Records RefundRules TestSupport"),
    tests("ReconciliationTests", .appStore, "AppStoreModel JSON Reconciliation TestSupport"),
    tests("RefundRulesTests", .appStore, "AppStoreModel JSON JSONTestSupport RefundRules TestSupport"),
    tests(
        "LegacyNotificationsTests", .appStore, "AppStoreModel Cryptography EntitlementRules JSON LegacyNotifications"),
    tests(
        "AppStoreVerificationTests", .appStore, "AppStoreModel AppStoreSigning AppStoreTestSupport",
        "AppStoreVerification Cryptography JSON Primitives TestSupport"),
    tests(
        "AppStoreServerAPITests", .appStore, "AppStoreModel AppStoreServerAPI AppStoreTestSupport",
        "AppStoreVerification Cryptography HTTPClient HTTPServer JSON Primitives Telemetry TestSupport Tracing"),
    tests(
        "AppStoreSettingsTests", .appStore, "AppStoreModel AppStoreServerAPI AppStoreSettings CommandLine",
        "Configuration Cryptography TestSupport"),
    tests(
        "AppStoreSigningTests", .appStore, "AppStoreSigning AppStoreTestSupport Cryptography Primitives TestSupport"),
    tests("PublicationTests", .appStore, "AppStoreModel Cryptography Kafka Publication Records"),
    tests(
        "ArchiveLogTests", .archive, "AppStoreModel ArchiveLog Cryptography HTTPClient Kafka KafkaModel ObjectStorage",
        "ObjectStorageTestSupport Records RefundRules TestSupport TransparencyLog", excluding: ["tlog_reader.py"]),
    tests(
        "ArchiveKeysTests", .archive, "AppStoreModel ArchiveKeys ArchiveLog Cryptography KafkaModel Primitives SQLite",
        "TestSupport"),
    tests(
        "PipelineRuntimeTests", .pipeline, "CommandLine Configuration JSONTestSupport Kafka KafkaDevBroker",
        "KafkaTestSupport Lifecycle PipelineRuntime PipelineTestSupport Telemetry TestSupport Tracing"),
    tests(
        "OperatorEventsTests", .pipeline, "JSONTestSupport Kafka KafkaDevBroker OperatorEvents PipelineTestSupport",
        "Primitives Telemetry TestSupport"),
    tests(
        "ServiceKitTests", .pipeline, "CommandLine Configuration Kafka KafkaDevBroker Lifecycle ServiceKit Telemetry",
        "TestSupport"),
    tests(
        "KeyedStateTests", .pipeline, "Kafka KafkaDevBroker KeyedState Lifecycle OperatorEvents",
        "OperatorEventsTestSupport PipelineRuntime PipelineTestSupport Primitives SQLite Telemetry TestSupport",
        "Tracing Zstandard"),
    tests("PipelineTestKitTests", .pipeline, "Kafka PipelineRuntime PipelineTestKit TestSupport"),
    tests(
        "IngressTests", .services, "AppStoreModel AppStoreSettings AppStoreSigning AppStoreTestSupport",
        "AppStoreVerification CommandLine Configuration Cryptography HTTPClient HTTPServer Ingress JSON Kafka",
        "KafkaDevBroker Lifecycle OperatorEventsTestSupport Primitives Publication Records ServiceKit Simulator",
        "Telemetry TestSupport Tracing"),
    tests(
        "EntitlementsTests", .services, "AppStoreModel AppStoreServerAPI AppStoreSigning CommandLine Configuration",
        "Cryptography EntitlementRules Entitlements HTTPClient HTTPServer JSON Kafka KafkaDevBroker KeyedState",
        "Lifecycle PipelineRuntime PipelineTestSupport Primitives Records Simulator SQLite Story Telemetry TestSupport"),
    tests(
        "WebhooksTests", .services, "AppStoreModel CommandLine Configuration Cryptography HTTPClient HTTPServer JSON",
        "JSONTestSupport Kafka KafkaDevBroker Lifecycle OperatorEvents OperatorEventsTestSupport PipelineRuntime",
        "PipelineTestKit PipelineTestSupport Primitives Records Telemetry TestSupport Tracing Webhooks"),
    tests(
        "RefundsTests", .services, "AppStoreModel AppStoreServerAPI AppStoreSigning CommandLine Configuration",
        "HTTPClient HTTPServer JSON JSONTestSupport Kafka KafkaDevBroker KeyedState Lifecycle",
        "OperatorEventsTestSupport PipelineRuntime PipelineTestSupport Primitives Records RefundRules Refunds",
        "SignedRequests Simulator Telemetry TestSupport Tracing"),
    tests(
        "ArchiveTests", .services, "AppStoreModel Archive ArchiveKeys ArchiveLog CommandLine Configuration",
        "Cryptography HTTPClient HTTPServer Kafka KafkaDevBroker Lifecycle ObjectStorage ObjectStorageTestSupport",
        "OperatorEventsTestSupport PipelineRuntime PipelineTestSupport Primitives Records SQLite Telemetry",
        "TestSupport TransparencyLog"),
    tests(
        "ReconcilerTests", .services, "AppStoreModel AppStoreSigning CommandLine Configuration Cryptography",
        "EntitlementRules HTTPServer JSON Kafka KafkaDevBroker Lifecycle OperatorEventsTestSupport PipelineRuntime",
        "PipelineTestSupport Primitives Reconciler Reconciliation Records Simulator Telemetry TestSupport"),
    tests(
        "SimulationTests", .services, "AppStoreModel AppStoreServerAPI CSQLite JSON Kafka KafkaModel KeyedState",
        "Lifecycle PipelineRuntime Primitives Records RefundRules Refunds SQLite Telemetry TestSupport",
        excluding: ["README.md"]),
    tests(
        "SimulatorTests", .services, "AppStoreModel AppStoreServerAPI AppStoreSigning AppStoreVerification CommandLine",
        "Configuration Cryptography EntitlementRules HTTPClient JSON LegacyNotifications Primitives Simulator",
        "TestSupport"),
    tests("StoryTests", .services, "AppStoreModel EntitlementRules JSON Story"),
    tests(
        "SluicectlTests", .services, "AppStoreModel AppStoreServerAPI AppStoreSettings AppStoreSigning",
        "AppStoreTestSupport AppStoreVerification ArchiveKeys ArchiveLog CommandLine Configuration Cryptography",
        "EntitlementRules Entitlements HTTPServer Ingress JSON Kafka KafkaDevBroker KeyedState Lifecycle ObjectStorage",
        "PipelineRuntime PipelineTestSupport Primitives Reconciliation Records RefundRules ServiceKit Sluicectl SQLite",
        "Telemetry TestSupport TransparencyLog"),
    tests(
        "SharedConfigurationTests", .executables, "Archive CommandLine Configuration Cryptography Entitlements Ingress",
        "Kafka KafkaDevBroker Lifecycle PipelineRuntime Reconciler Records Refunds SharedConfiguration Simulator",
        "Sluicectl Telemetry TestSupport Webhooks"),
    tests(
        "EndToEndTests", .endToEnd, "AppStoreModel AppStoreServerAPI AppStoreSigning AppStoreVerification",
        "Cryptography EntitlementRules HTTPClient HTTPServer JSONTestSupport Kafka OTLPTestSupport Primitives Records",
        "Simulator TestSupport"),
]

let package = Package(
    name: "sluice",
    products: [
        // What third parties build on: a small public face. The executables are products by themselves.
        .library(name: "Kafka", targets: ["Kafka"]),
        .library(name: "Configuration", targets: ["Configuration", "CommandLine"]),
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
    targets: platform + appStore + archive + pipeline + services + executables + testSupport + fuzzing + suites,
    swiftLanguageModes: [.v6]
)

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

func room(_ name: String, floor: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(floor)/\(name)", swiftSettings: settings)
}

func executable(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Executables/\(name)", swiftSettings: settings)
}

func tests(_ name: String, floor: String, uses dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(floor)/\(name)", swiftSettings: settings)
}

func systemLibrary(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Platform/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])])
}

// Floor by floor; a target imports from floors below, or from rooms above it on its own floor.
let platform: [Target] = [
    systemLibrary("CRdKafka", pkgConfig: "rdkafka", apt: "librdkafka-dev", brew: "librdkafka"),
    systemLibrary("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    systemLibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    .systemLibrary(name: "CSockets", path: "Sources/Platform/CSockets"),
    .target(name: "CFixedPort", path: "Sources/Platform/CFixedPort"),
    room("Telemetry", floor: "Platform"),
    room("Configuration", floor: "Platform"),
    room("Lifecycle", floor: "Platform", uses: ["Telemetry"]),
    room("Kafka", floor: "Platform", uses: ["CRdKafka"]),
    room("Cryptography", floor: "Platform", uses: ["COpenSSL"]),
    room("SQLite", floor: "Platform", uses: ["CSQLite"]),
    room("HTTPServer", floor: "Platform", uses: ["CSockets"]),
    room("HTTPClient", floor: "Platform", uses: ["CCurl"]),
]

let appStore: [Target] = [
    room("AppStoreModel", floor: "AppStore"),
    room("NotificationRecord", floor: "AppStore", uses: ["AppStoreModel"]),
    room("EntitlementRules", floor: "AppStore", uses: ["AppStoreModel"]),
    room("AppStoreVerification", floor: "AppStore", uses: ["AppStoreModel", "Cryptography"]),
    room("AppStoreSigning", floor: "AppStore", uses: ["Cryptography"]),
]

let pipeline: [Target] = [
    room(
        "PipelineRuntime", floor: "Pipeline",
        uses: ["Kafka", "SQLite", "Telemetry", "Configuration", "Lifecycle", "HTTPServer"]),
    room("PipelineTestKit", floor: "Pipeline", uses: ["PipelineRuntime", "Kafka", "Telemetry"]),
]

let services: [Target] = [
    room(
        "Ingress", floor: "Services",
        uses: [
            "AppStoreModel", "AppStoreVerification", "NotificationRecord", "PipelineRuntime", "Kafka", "HTTPServer",
            "HTTPClient", "Cryptography", "Telemetry", "Configuration", "Lifecycle",
        ]),
    room(
        "Entitlements", floor: "Services",
        uses: [
            "AppStoreModel", "EntitlementRules", "NotificationRecord", "PipelineRuntime", "Kafka", "HTTPServer",
            "Telemetry", "Configuration", "Lifecycle",
        ]),
    room(
        "Webhooks", floor: "Services",
        uses: [
            "NotificationRecord", "PipelineRuntime", "Kafka", "HTTPClient", "Cryptography", "Telemetry",
            "Configuration",
        ]),
    room(
        "Simulator", floor: "Services",
        uses: ["AppStoreModel", "AppStoreSigning", "HTTPClient", "Telemetry", "Configuration"]),
    room(
        "Operations", floor: "Services",
        uses: [
            "AppStoreModel", "AppStoreVerification", "NotificationRecord", "PipelineRuntime", "Kafka", "Cryptography",
            "SQLite", "HTTPClient", "Telemetry", "Configuration", "Lifecycle",
        ]),
]

let executables: [Target] = [
    executable(
        "sluice-ingress",
        uses: ["Ingress", "PipelineRuntime", "Configuration", "Cryptography", "Lifecycle", "Telemetry"]),
    executable("sluice-entitlements", uses: ["Entitlements", "PipelineRuntime", "Cryptography"]),
    executable("sluice-webhooks", uses: ["Webhooks", "PipelineRuntime", "Cryptography"]),
    executable("sluice-simulator", uses: ["Simulator", "Configuration", "Cryptography"]),
    executable(
        "sluice-bench",
        uses: [
            "AppStoreModel", "AppStoreSigning", "AppStoreVerification", "NotificationRecord", "Simulator", "Kafka",
            "SQLite", "HTTPServer", "Configuration", "Cryptography", "Telemetry",
        ]),
    executable(
        "sluicectl",
        uses: ["Operations", "Ingress", "Entitlements", "Webhooks", "PipelineRuntime", "Configuration", "Cryptography"]),
    executable(
        "sluice-dev-broker",
        uses: [
            "NotificationRecord", "PipelineRuntime", "Cryptography", "Kafka", "Configuration", "Lifecycle", "Telemetry",
            "CFixedPort",
        ]),
]

// What the tests are written with: vectors, seeds, waiting, Apache Kafka. Only test targets use it.
let testSupport: Target = .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings)

// The hostile notifications of the threat model, for the verifier alone and for the whole ingress.
let appStoreTestSupport: Target = .target(
    name: "AppStoreTestSupport",
    dependencies: ["AppStoreModel", "AppStoreSigning", "AppStoreVerification", "Cryptography"],
    path: "Tests/AppStore/AppStoreTestSupport", swiftSettings: settings)

// Answers every body with 200, so that HTTP testers have something to speak to.
let httpProbe: Target = .executableTarget(
    name: "http-probe", dependencies: ["HTTPServer"], path: "Tests/EndToEnd/http-probe", swiftSettings: settings)

// Takes each check out of a copy of the sources and runs the tests: `make mutants`.
let mutants: Target = .executableTarget(
    name: "mutants", path: "Tests/Mutants", exclude: ["README.md"], swiftSettings: settings)

// Readers of foreign bytes with what must hold of them; `fuzz` runs them from seeds or under libFuzzer.
let fuzzing: [Target] = [
    .target(
        name: "FuzzTargets",
        dependencies: [
            "AppStoreModel", "AppStoreSigning", "AppStoreVerification", "Configuration", "Cryptography",
            "EntitlementRules", "HTTPServer", "NotificationRecord", "Simulator", "TestSupport",
        ], path: "Tests/Fuzzing/FuzzTargets", swiftSettings: settings),
    .executableTarget(
        name: "fuzz", dependencies: ["FuzzTargets", "TestSupport"], path: "Tests/Fuzzing/FuzzRunner",
        swiftSettings: settings),
    tests("FuzzTests", floor: "Fuzzing", uses: ["FuzzTargets", "AppStoreVerification", "Cryptography", "TestSupport"]),
]

let package = Package(
    name: "sluice",
    products: [
        // What third parties build on: a small public face. The executables are products by themselves.
        .library(name: "Kafka", targets: ["Kafka"]),
        .library(name: "PipelineRuntime", targets: ["PipelineRuntime"]),
        .library(name: "PipelineTestKit", targets: ["PipelineTestKit"]),
        .library(name: "AppStoreModel", targets: ["AppStoreModel", "NotificationRecord"]),
        .library(name: "AppStoreVerification", targets: ["AppStoreVerification"]),
    ],
    targets: platform + appStore + pipeline + services + executables + fuzzing + [
        testSupport, appStoreTestSupport, httpProbe, mutants,
        tests("TelemetryTests", floor: "Platform", uses: ["Telemetry", "TestSupport"]),
        tests("ConfigurationTests", floor: "Platform", uses: ["Configuration", "TestSupport"]),
        tests("LifecycleTests", floor: "Platform", uses: ["Lifecycle", "Telemetry", "TestSupport"]),
        tests("KafkaTests", floor: "Platform", uses: ["Kafka", "TestSupport"]),
        tests("CryptographyTests", floor: "Platform", uses: ["Cryptography", "TestSupport"]),
        tests("SQLiteTests", floor: "Platform", uses: ["SQLite", "TestSupport"]),
        tests("HTTPServerTests", floor: "Platform", uses: ["HTTPServer", "TestSupport"]),
        tests("HTTPClientTests", floor: "Platform", uses: ["HTTPClient", "HTTPServer", "TestSupport"]),
        tests("AppStoreModelTests", floor: "AppStore", uses: ["AppStoreModel", "TestSupport"]),
        tests(
            "NotificationRecordTests", floor: "AppStore", uses: ["NotificationRecord", "AppStoreModel", "TestSupport"]),
        tests("EntitlementRulesTests", floor: "AppStore", uses: ["EntitlementRules", "AppStoreModel", "TestSupport"]),
        tests(
            "AppStoreVerificationTests", floor: "AppStore",
            uses: [
                "AppStoreVerification", "AppStoreSigning", "AppStoreModel", "Cryptography", "AppStoreTestSupport",
                "TestSupport",
            ]),
        tests("AppStoreSigningTests", floor: "AppStore", uses: ["AppStoreSigning", "Cryptography", "TestSupport"]),
        tests(
            "PipelineRuntimeTests", floor: "Pipeline",
            uses: ["PipelineRuntime", "Kafka", "SQLite", "Telemetry", "Configuration", "Lifecycle", "TestSupport"]),
        tests(
            "PipelineTestKitTests", floor: "Pipeline",
            uses: ["PipelineTestKit", "PipelineRuntime", "Kafka", "TestSupport"]),
        tests(
            "IngressTests", floor: "Services",
            uses: [
                "Ingress", "Simulator", "PipelineRuntime", "AppStoreSigning", "AppStoreVerification", "AppStoreModel",
                "NotificationRecord", "Kafka", "Cryptography", "HTTPServer", "HTTPClient", "Configuration", "Telemetry",
                "Lifecycle", "AppStoreTestSupport", "TestSupport",
            ]),
        tests(
            "EntitlementsTests", floor: "Services",
            uses: [
                "Entitlements", "AppStoreModel", "NotificationRecord", "EntitlementRules", "PipelineRuntime", "Kafka",
                "SQLite", "HTTPClient", "HTTPServer", "Configuration", "Lifecycle", "Telemetry", "TestSupport",
            ]),
        tests(
            "WebhooksTests", floor: "Services",
            uses: [
                "Webhooks", "NotificationRecord", "PipelineRuntime", "PipelineTestKit", "Kafka", "HTTPServer",
                "HTTPClient", "Cryptography", "Configuration", "Lifecycle", "Telemetry", "TestSupport",
            ]),
        tests(
            "SimulatorTests", floor: "Services", uses: ["Simulator", "AppStoreSigning", "AppStoreModel", "TestSupport"]),
        tests(
            "OperationsTests", floor: "Services",
            uses: [
                "Operations", "Ingress", "PipelineRuntime", "AppStoreModel", "AppStoreSigning", "NotificationRecord",
                "Kafka", "Cryptography", "HTTPServer", "Configuration", "Telemetry", "TestSupport",
            ]),
        // It starts the executables but links none of them: what they override would be overridden in the tests too.
        tests(
            "EndToEndTests", floor: "EndToEnd",
            uses: [
                "AppStoreModel", "AppStoreSigning", "NotificationRecord", "Simulator", "Kafka", "HTTPClient",
                "HTTPServer", "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

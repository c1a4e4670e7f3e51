// swift-tools-version: 6.2
import PackageDescription

// The settings of every target, explained on https://www.swift.org/swift-evolution/
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .treatAllWarnings(as: .error),  // SE-0443
]

/// The targets that texts name, separated by spaces, each once.
func named(_ names: [String]) -> [Target.Dependency] {
    Set(names.flatMap { $0.split(separator: " ") }).sorted().map { .byName(name: String($0)) }
}

func executable(_ name: String, _ uses: String..., in folder: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: named(uses), path: folder ?? "Sources/Executables/\(name)", swiftSettings: settings)
}

/// The tests of a module. They may use the module, everything that it uses, and `TestSupport`.
func tests(
    _ name: String, of module: String? = nil, in folder: String? = nil, _ uses: String..., excluding: [String] = []
) -> Target {
    let tested = module ?? name
    let layer = layers.first { $0.value.contains { $0.key == tested } }
    let inherited = layer?.value.first { $0.key == tested }?.value ?? ""
    return .testTarget(
        name: name + "Tests", dependencies: named(uses + [inherited, tested, "TestSupport"]),
        path: "Tests/\(folder ?? layer?.key ?? "")/\(name)Tests", exclude: excluding, swiftSettings: settings)
}

func testModule(_ name: String, in layer: String, _ uses: String...) -> Target {
    .target(name: name, dependencies: named(uses), path: "Tests/\(layer)/\(name)", swiftSettings: settings)
}

func systemLibrary(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Platform/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

// What many targets use.
let runtime = "Configuration Kafka Lifecycle Primitives Telemetry"
let records = "AppStoreModel Cryptography JSON KafkaModel Primitives Records"
let verification = "AppStoreModel AppStoreVerification Cryptography"
let appleAPI = "\(verification) AppStoreServerAPI AppStoreSettings"
let archiveLogs = "ArchiveKeys ArchiveLog ObjectStorage TransparencyLog"
let program = "\(runtime) AppStoreModel CommandLine HTTPClient Records ServiceKit"
let process = "CommandLine Configuration Cryptography Lifecycle ServiceKit SharedConfiguration Telemetry"
let consumer = "\(program) OperatorEvents PipelineRuntime"
let onBroker = "HTTPServer JSON KafkaDevBroker OperatorEventsTestSupport PipelineTestSupport"

let systemLibraries: [Target] = [
    systemLibrary("CRdKafka", pkgConfig: "rdkafka", apt: "librdkafka-dev", brew: "librdkafka"),
    systemLibrary("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    systemLibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev", brew: "zstd"),
    systemLibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    .systemLibrary(name: "CSystem", path: "Sources/Platform/CSystem"),
]

// The modules and the modules that each uses, all of which are above it in this list.
let layers: KeyValuePairs<String, KeyValuePairs<String, String>> = [
    "Platform": [
        "Primitives": "CSystem",
        "JSON": "Primitives",
        "Telemetry": "JSON Primitives",
        "Configuration": "JSON Primitives",
        "Lifecycle": "CSystem Primitives Telemetry",
        "CommandLine": "Configuration CSystem Lifecycle Primitives",
        "KafkaModel": "",
        "Tracing": "KafkaModel Primitives Telemetry",
        "Kafka": "CRdKafka KafkaModel Primitives",
        "KafkaDevBroker": "CRdKafka Kafka Primitives",
        "Cryptography": "COpenSSL Primitives",
        "TransparencyLog": "Cryptography Primitives",
        "SQLite": "CSQLite",
        "Zstandard": "CZstd",
        "SignedRequests": "Configuration Cryptography Primitives",
        "HTTPServer": "CSystem Primitives",
        "HTTPClient": "CCurl Configuration Primitives",
        "OTLP": "Configuration HTTPClient JSON Lifecycle Primitives Telemetry Tracing",
        "ObjectStorage": "Configuration Cryptography HTTPClient JSON Primitives",
        "KafkaTokens": "Configuration Cryptography HTTPClient JSON Kafka ObjectStorage Primitives",
    ],
    "AppStore": [
        "AppStoreModel": "JSON Primitives",
        "Records": "AppStoreModel Cryptography JSON KafkaModel Primitives",
        "EntitlementRules": "AppStoreModel JSON",
        "AppStoreVerification": "AppStoreModel Cryptography JSON Primitives",
        "LegacyNotifications": "AppStoreModel Cryptography JSON",
        "AppStoreServerAPI": "\(verification) HTTPClient JSON Primitives Telemetry Tracing",
        "Reconciliation": "\(verification) \(records) AppStoreServerAPI EntitlementRules",
        "AppStoreSettings": "\(verification) AppStoreServerAPI Configuration HTTPClient Primitives Records "
            + "SignedRequests Telemetry",
        "AppStoreSigning": "Cryptography Primitives",
        "Publication": "\(verification) Kafka LegacyNotifications Primitives Records Telemetry Tracing",
        "RefundRules": "AppStoreModel Configuration Cryptography JSON Primitives Records",
    ],
    "Archive": [
        "ArchiveLog": "\(records) ObjectStorage RefundRules TransparencyLog",
        "ArchiveKeys": "\(records) ArchiveLog Configuration ObjectStorage RefundRules SQLite TransparencyLog",
    ],
    "Pipeline": [
        "ServiceKit": "Configuration HTTPClient HTTPServer Kafka KafkaTokens Lifecycle OTLP Telemetry",
        "OperatorEvents": "\(runtime) JSON ServiceKit",
        "PipelineRuntime": "\(runtime) CommandLine JSON OperatorEvents OTLP ServiceKit Tracing",
        "KeyedState": "\(runtime) OperatorEvents PipelineRuntime SQLite Tracing Zstandard",
        "PipelineTestKit": "Kafka KafkaDevBroker PipelineRuntime Telemetry",
    ],
    "Services": [
        "Story": "AppStoreModel ArchiveKeys ArchiveLog EntitlementRules JSON Kafka KafkaModel KeyedState Lifecycle "
            + "PipelineRuntime Primitives Records RefundRules",
        "Ingress": "\(program) \(verification) AppStoreSettings HTTPServer JSON LegacyNotifications OperatorEvents "
            + "Publication Tracing",
        "Entitlements": "\(consumer) \(appleAPI) EntitlementRules HTTPServer JSON KeyedState Publication Story",
        "Webhooks": "\(consumer) Cryptography JSON KeyedState SignedRequests Tracing",
        "Refunds": "\(consumer) \(appleAPI) JSON KeyedState RefundRules SignedRequests SQLite Tracing",
        "Reconciler": "\(consumer) \(appleAPI) JSON KeyedState Publication Reconciliation",
        "Archive": "\(consumer) \(archiveLogs) KafkaModel SignedRequests",
        "Simulator": "AppStoreModel AppStoreSigning CommandLine Configuration Cryptography HTTPClient HTTPServer JSON "
            + "Lifecycle Primitives Telemetry",
        "Sluicectl": "\(program) \(appleAPI) \(archiveLogs) EntitlementRules JSON KafkaTokens KeyedState "
            + "OperatorEvents PipelineRuntime Reconciliation RefundRules SQLite Story",
    ],
]

let modules = layers.flatMap { layer, modules in
    modules.map { name, uses in
        Target.target(
            name: name, dependencies: named([uses]), path: "Sources/\(layer)/\(name)",
            resources: name == "Entitlements" ? [.embedInCode("entitlements.openapi.json")] : [],
            swiftSettings: settings)
    }
}

let executables: [Target] = [
    .target(name: "CFixedPort", path: "Sources/Executables/CFixedPort"),
    .target(name: "SharedConfiguration", path: "Sources/Executables/SharedConfiguration", swiftSettings: settings),
    executable("sluice-ingress", process, "Ingress OTLP"),
    executable("sluice-entitlements", "Cryptography Entitlements PipelineRuntime SharedConfiguration"),
    executable("sluice-webhooks", "Cryptography PipelineRuntime SharedConfiguration Webhooks"),
    executable("sluice-refunds", "Cryptography PipelineRuntime Refunds SharedConfiguration"),
    executable("sluice-archive", "Archive Cryptography PipelineRuntime SharedConfiguration"),
    executable("sluice-reconciler", "Cryptography PipelineRuntime Reconciler SharedConfiguration"),
    executable("sluice-simulator", "CommandLine Cryptography Lifecycle Primitives Simulator"),
    executable(
        "sluicectl", "Archive CommandLine Configuration Cryptography Entitlements Ingress OperatorEvents",
        "PipelineRuntime Primitives Reconciler Refunds ServiceKit Sluicectl Webhooks"),
    executable("sluice-dev-broker", process, "CFixedPort Kafka KafkaDevBroker Records"),
    executable(
        "sluice-bench", runtime, verification, archiveLogs, "AppStoreSettings AppStoreSigning CommandLine",
        "EntitlementRules HTTPServer Records Simulator SQLite", in: "Tests/Benchmarks"),
]

// Only tests use these.
let testSupport: [Target] = [
    // Vectors, seeds, waiting, Apache Kafka.
    .target(name: "TestSupport", path: "Tests/TestSupport", exclude: ["mldsa44-example.py"], swiftSettings: settings),
    // Writing and reading topics, and running a service.
    testModule("PipelineTestSupport", in: "Pipeline", "Kafka Lifecycle Telemetry TestSupport"),
    testModule("JSONTestSupport", in: "Platform", "JSON"),  // values against a published JSON Schema
    // Records operator events and compares them with their schema.
    testModule("OperatorEventsTestSupport", in: "Pipeline", "JSON JSONTestSupport Kafka OperatorEvents"),
    testModule("KafkaTestSupport", in: "Platform"),  // a proxy that damages a broker's responses
    // The contract of every object store, failing system calls, and a disk that loses power.
    testModule(
        "ObjectStorageTestSupport", in: "Platform",
        "Configuration Cryptography HTTPClient ObjectStorage Primitives TestSupport"),
    testModule("OTLPTestSupport", in: "Platform", "HTTPServer JSON"),  // a receiver of traces and metrics
    // The hostile notifications of the threat model, for the verifier alone and for the whole ingress.
    testModule("AppStoreTestSupport", in: "AppStore", verification, "AppStoreSigning Primitives"),
    executable("http-probe", "HTTPServer", in: "Tests/EndToEnd/http-probe"),  // answers 200 to every body
    // A consumer that sees only public declarations. Its handler traps or hangs where its records say so.
    .executableTarget(
        name: "pipeline-probe", dependencies: named(["PipelineRuntime Configuration Kafka"]),
        path: "Tests/Pipeline/pipeline-probe", packageAccess: false, swiftSettings: settings),
    // Removes each check in turn from a copy of the sources and runs the tests: `make mutants`.
    .executableTarget(name: "mutants", path: "Tests/Mutants", exclude: ["README.md"], swiftSettings: settings),
    // Parsers of untrusted bytes with their invariants; `fuzz` runs them from seeds or under libFuzzer.
    testModule(
        "FuzzTargets", in: "Fuzzing", records, verification, "AppStoreServerAPI AppStoreSigning ArchiveLog",
        "Configuration EntitlementRules HTTPServer LegacyNotifications RefundRules Simulator TestSupport",
        "TransparencyLog"),
    executable("fuzz", "AppStoreVerification FuzzTargets TestSupport", in: "Tests/Fuzzing/FuzzRunner"),
]

// EndToEndTests links no executable, because functions that these override would be overridden in the tests, too.
let suites: [Target] = [
    tests("Configuration", "CommandLine Lifecycle"),
    tests("Kafka", "KafkaDevBroker KafkaTestSupport"),
    tests("KafkaTokens", "CommandLine"),
    tests("HTTPClient", "CommandLine HTTPServer"),
    tests("OTLP", "CommandLine HTTPServer OTLPTestSupport"),
    tests("ObjectStorage", "CommandLine ObjectStorageTestSupport"),
    tests("RefundCases", of: "RefundRules", "KafkaModel"),
    tests("RefundRules", "JSONTestSupport"),
    tests("LegacyNotifications", "EntitlementRules"),
    tests("AppStoreVerification", "AppStoreSigning AppStoreTestSupport"),
    tests("AppStoreServerAPI", "AppStoreTestSupport HTTPServer"),
    tests("AppStoreSettings", "CommandLine"),
    tests("AppStoreSigning", "AppStoreTestSupport"),
    tests("ArchiveLog", "HTTPClient Kafka ObjectStorageTestSupport", excluding: ["tlog_reader.py"]),
    tests("PipelineRuntime", "JSONTestSupport KafkaDevBroker KafkaTestSupport PipelineTestSupport"),
    tests("OperatorEvents", "JSONTestSupport KafkaDevBroker PipelineTestSupport"),
    tests("ServiceKit", "CommandLine KafkaDevBroker"),
    tests("KeyedState", "KafkaDevBroker OperatorEventsTestSupport PipelineTestSupport"),
    tests("Ingress", onBroker, "AppStoreSigning AppStoreTestSupport Simulator"),
    tests("Entitlements", onBroker, "AppStoreSigning RefundRules Simulator SQLite"),
    tests("Webhooks", onBroker, "JSONTestSupport PipelineTestKit"),
    tests("Refunds", onBroker, "AppStoreSigning JSONTestSupport KafkaModel KafkaTestSupport Simulator"),
    tests("Archive", onBroker, "Cryptography ObjectStorageTestSupport SQLite"),
    tests("Reconciler", onBroker, "AppStoreSigning EntitlementRules Simulator"),
    tests("Simulation", of: "Refunds", "CSQLite KafkaModel", excluding: ["README.md"]),
    tests("Simulator", "AppStoreServerAPI AppStoreVerification EntitlementRules LegacyNotifications"),
    tests("Sluicectl", onBroker, "AppStoreSigning AppStoreTestSupport Entitlements Ingress"),
    tests(
        "SharedConfiguration", in: "Executables", consumer, "Archive Cryptography Entitlements Ingress KafkaDevBroker",
        "Reconciler Refunds Simulator Sluicectl Webhooks"),
    tests(
        "EndToEnd", of: "Simulator", in: "EndToEnd", "AppStoreServerAPI AppStoreVerification EntitlementRules",
        "JSONTestSupport Kafka KafkaModel OTLPTestSupport Records"),
    tests("Fuzz", of: "FuzzTargets", in: "Fuzzing", "AppStoreVerification Cryptography Primitives"),
    .testTarget(name: "MutantTests", dependencies: ["mutants"], path: "Tests/MutantTests", swiftSettings: settings),
]

let suitesWithoutMore = [
    "AppStoreModel", "ArchiveKeys", "Cryptography", "EntitlementRules", "HTTPServer", "JSON", "Lifecycle",
    "PipelineTestKit", "Primitives", "Publication", "Reconciliation", "Records", "SQLite", "SignedRequests", "Story",
    "Telemetry", "Tracing", "TransparencyLog", "Zstandard",
].map { tests($0) }

// What third parties build on: a small public face. The executables are products by themselves.
let libraries: KeyValuePairs = [
    "Kafka": ["Kafka"], "Configuration": ["Configuration", "CommandLine"], "Telemetry": ["Telemetry"],
    "Lifecycle": ["Lifecycle"], "ServiceKit": ["ServiceKit"], "PipelineRuntime": ["PipelineRuntime"],
    "KeyedState": ["KeyedState"], "PipelineTestKit": ["PipelineTestKit"], "HTTPServer": ["HTTPServer"],
    "HTTPClient": ["HTTPClient"], "AppStoreModel": ["AppStoreModel", "Records"],
    "AppStoreVerification": ["AppStoreVerification"],
]

let package = Package(
    name: "sluice", products: libraries.map { .library(name: $0, targets: $1) },
    targets: systemLibraries + modules + executables + testSupport + suites + suitesWithoutMore,
    swiftLanguageModes: [.v6]
)

// `make simulate` builds one test target and the targets it needs, because an optimized build of all takes long.
if let name = Context.environment["SLUICE_TEST_TARGET"] {
    precondition(package.targets.contains { $0.name == name }, "SLUICE_TEST_TARGET: no target is named \(name)")
    var needed: Set = [name]
    for target in package.targets.reversed() where needed.contains(target.name) {
        for case .byNameItem(let dependency, _) in target.dependencies { needed.insert(dependency) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}

internal import AppStoreModel
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import Cryptography
internal import HTTPClient
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records
internal import ServiceKit
internal import Telemetry
internal import Time

/// `sluicectl doctor`: checks everything the ingress depends on.
struct DoctorCommand {
    static let name = "doctor"
    /// The executable whose dependencies are checked.
    static let executable = "sluice-ingress"

    /// The flags of `sluicectl doctor` itself.
    let flags: Configuration
    let ingress: SluicectlParts.Executable
    let verification: SluicectlParts.Verification
    /// Keys of other executables that may be in the same file and environment.
    let sharedKeys: [String]
    /// The arguments of `sluicectl`, unchanged.
    let arguments: [String]
    let environment: [String: String]
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration

    private static let maximumBytes = 4 << 20

    func run(_ console: Console) async throws -> ExitCode {
        let report = DoctorReport(findings: try await facts().findings)
        switch flags[OperationsSettings.output] {
        case .text: await console.write(report.text)
        case .json: await console.write(line: JSONValue.object(report.json).json)
        }
        return report.isGood ? .ok : .failure
    }

    private func facts() async throws -> DoctorFacts {
        var facts = DoctorFacts()
        facts.now = clocks.wallMilliseconds()
        // Responders can be checked without a configuration, because Apple's root is built in.
        var roots = [AppleRootCertificate.g3]
        var http = HTTPClient.Configuration()
        switch effectiveConfiguration() {
        case .failure(let refused): facts.configuration = .wrong(refused.lines)
        case .success(let configuration):
            facts.configuration = .good(
                apps: try verification.apps(configuration).count,
                profile: ApplicationSettings.deployment(configuration),
                file: commandLine.configurationFile)
            roots = try verification.roots(configuration)
            http = try HTTPClient.Configuration(configuration)
            facts.roots = roots.map { DoctorFacts.Root(der: $0) }
            facts.api = await DoctorAPI(clocks: clocks).facts(configuration, roots: roots)
            facts.unconfirmableApps = DoctorAPI.unconfirmableApps(configuration)
            try await ask(configuration, &facts)
        }
        facts.responders = try await responders(roots, http, now: facts.now / 1_000)
        return facts
    }

    // MARK: configuration

    private struct Refused: Error {
        let lines: [String]
    }

    private var commandLine: DoctorCommandLine {
        DoctorCommandLine(
            arguments, name: Self.name, ownKeys: DoctorSettings.ownKeys, environment: environment)
    }

    /// Returns the configuration that the ingress would read from the same file, environment and flags, or all errors
    /// that it would report.
    private func effectiveConfiguration() -> Result<Configuration, Refused> {
        // The ingress does not use the App Store Server API, but shares its file with services that do.
        let schema = ingress.schema.adding(ConfigurationSchema(AppStoreSettings.apiSettings))
        let command = Command(ingress.name, summary: "", schema: schema.tolerating(sharedKeys))
        func refused(_ outcome: CommandOutcome) -> Refused {
            guard case .refuse(let lines, _) = outcome else { return Refused(lines: []) }
            let prefix = "\(ingress.name): configuration: "
            return Refused(lines: lines.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 })
        }
        let outcome = command.parse(commandLine.arguments, environment: environment)
        guard case .run(let invocation) = outcome else { return .failure(refused(outcome)) }
        do throws(ConfigurationError) {
            try ingress.check(invocation.configuration)
            return .success(invocation.configuration)
        } catch {
            return .failure(refused(command.refusal(ConfigurationErrors([error]))))
        }
    }

    // MARK: brokers

    private func ask(_ configuration: Configuration, _ facts: inout DoctorFacts) async throws {
        let brokers = try Brokers(configuration, timeout: timeout)
        facts.bootstrapServers = brokers.kafka.bootstrapServers
        facts.topicNames = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        facts.producerMessageMaxBytes =
            brokers.kafka.effectiveProperties(for: .producer)["message.max.bytes"].flatMap { Int($0) }
        let mechanism = brokers.kafka.effectiveProperties(for: .admin).filter { $0.key.hasPrefix("sasl.mechanism") }
        if repeatsScramNonces, mechanism.values.contains(where: { $0.hasPrefix("SCRAM") }) {
            facts.scramRefusedByKafka4 = librdkafkaVersion
        }
        let admin: KafkaAdmin
        do throws(StartupError) {
            admin = try brokers.admin()
        } catch {
            // librdkafka checks files and combinations of properties only when it creates a client.
            facts.brokers = .silent(error.problem, fix: error.fix)
            return
        }
        do throws(KafkaError) {
            let clusterId = try await admin.clusterId(within: timeout)
            facts.brokers = .answering(
                clusterId: clusterId, isEmbedded: try await admin.isEmbeddedBroker(within: timeout))
            await describeTopics(admin, &facts)
        } catch {
            let failure = StartupError(noAnswer: error, from: facts.bootstrapServers)
            facts.brokers = .silent(failure.problem, fix: failure.fix)
        }
        await admin.close(within: .seconds(1))
    }

    private func describeTopics(_ admin: KafkaAdmin, _ facts: inout DoctorFacts) async {
        let names = (facts.topicNames.ingress() + facts.topicNames.state()).map {
            $0.name
        }
        do throws(KafkaError) {
            let topics = try await admin.describeTopics(names, within: timeout)
            let required = Set(facts.topicNames.ingress().map(\.name))
            facts.deniedTopics = try await admin.deniedTopics(
                among: Array(required.subtracting(topics.map(\.topic))), within: timeout)
            facts.topics = topics
        } catch {
            facts.topicsError = error
        }
    }

    // MARK: responders

    private func responders(
        _ roots: [[UInt8]], _ http: HTTPClient.Configuration, now: Int64
    ) async throws -> DoctorFacts.Responders {
        let certificates: [Certificate]
        do {
            if let file = flags[DoctorSettings.jws] {
                certificates = try DoctorCertificates.inJWS(
                    try await InputFile.read(file, maximumBytes: Self.maximumBytes))
            } else if let file = flags[DoctorSettings.certificates] {
                certificates = try DoctorCertificates.inFile(
                    try await InputFile.read(file, maximumBytes: Self.maximumBytes))
            } else {
                return .notAsked
            }
        } catch let error as DoctorCertificates.Unreadable {
            return .unusable(error.message)
        }
        let client = HTTPClient(http)
        defer { client.close() }
        return await DoctorResponders(client: client, now: now).facts(certificates, roots: roots)
    }
}

internal import AppStoreModel
internal import AppStoreSettings
internal import AppStoreVerification
internal import CommandLine
internal import Configuration
internal import Cryptography
internal import HTTPClient
internal import JSON
internal import Kafka
internal import KafkaTokens
internal import Lifecycle
internal import Primitives
internal import Records
internal import ServiceKit
internal import Telemetry

/// `sluicectl doctor`: checks everything that an executable depends on.
struct DoctorCommand {
    static let name = "doctor"
    /// The executable to check by default.
    static let defaultExecutable = "sluice-ingress"

    /// The flags of `sluicectl doctor` itself.
    let flags: Configuration
    let executable: SluicectlParts.Executable
    let parts: SluicectlParts
    /// The arguments of `sluicectl`, unchanged.
    let arguments: [String]
    let environment: [String: String]
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration

    private var verification: SluicectlParts.Verification { parts.verification }
    private static let maximumBytes = 4 << 20
    /// The connection timeout, for interactive use.
    private static let connectionLimit = Duration.seconds(3)

    func run(_ console: Console) async throws -> ExitCode {
        let report = DoctorReport(findings: try await facts().findings)
        await console.write(flags, text: report.text, json: report.json)
        return report.isGood ? .ok : .failure
    }

    private func facts() async throws -> DoctorFacts {
        var facts = DoctorFacts()
        facts.now = clocks.wallMilliseconds()
        facts.executable = executable.name
        // Responders can be checked without a configuration, because Apple's root is built in.
        var roots = [AppleRootCertificate.g3]
        var http = HTTPClient.Configuration()
        switch effectiveConfiguration() {
        case .failure(let refused): facts.configuration = .wrong(refused.lines)
        case .success(let configuration):
            var needs = try executable.dependencies(configuration)
            let tokens = KafkaTokenSettings.endpoint
            needs.endpoints += configuration[tokens].map { [.init(tokens.key, $0)] } ?? []
            facts.verifies = needs.verifies
            facts.configuration = .good(
                apps: needs.verifies ? try verification.apps(configuration).count : nil,
                profile: ApplicationSettings.deployment(configuration),
                file: commandLine.configurationFile)
            http = try HTTPClient.Configuration(configuration)
            if needs.verifies {
                roots = try verification.roots(configuration)
                facts.roots = roots.map { DoctorFacts.Root(der: $0) }
                facts.api = await DoctorAPI(clocks: clocks).facts(configuration, roots: roots)
                facts.unconfirmableApps = DoctorAPI.unconfirmableApps(configuration)
            }
            facts.expectations = needs.topics
            try await ask(configuration, &facts)
            facts.surroundings = await DoctorSurroundings(
                executable: executable.name, needs: needs, proxy: configuration[HTTPClientSettings.proxy]
            ).findings()
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

    /// Returns the configuration that the executable would read from the same file, environment and flags, or all
    /// errors that it would report.
    private func effectiveConfiguration() -> Result<Configuration, Refused> {
        // The ingress does not use the App Store Server API, but shares its configuration file with services that do.
        let isIngress = executable.name == Self.defaultExecutable
        let schema =
            isIngress
            ? executable.schema.adding(ConfigurationSchema(AppStoreSettings.apiSettings)) : executable.schema
        let command = Command(executable.name, summary: "", schema: schema.tolerating(parts.sharedKeys))
        func refused(_ outcome: CommandOutcome) -> Refused {
            guard case .refuse(let lines, _) = outcome else { return Refused(lines: []) }
            let prefix = "\(executable.name): configuration: "
            return Refused(lines: lines.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 })
        }
        let outcome = command.parse(commandLine.arguments, environment: environment)
        guard case .run(let invocation) = outcome else { return .failure(refused(outcome)) }
        do throws(ConfigurationError) {
            try executable.check(invocation.configuration)
            return .success(invocation.configuration)
        } catch {
            return .failure(refused(command.refusal(ConfigurationErrors([error]))))
        }
    }

    // MARK: brokers

    private func ask(_ configuration: Configuration, _ facts: inout DoctorFacts) async throws {
        let brokers = try Brokers(configuration, timeout: timeout)
        facts.bootstrapServers = brokers.kafka.bootstrapServers
        if facts.isIngress {
            facts.topicNames = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
            facts.producerMessageMaxBytes =
                brokers.kafka.effectiveProperties(for: .producer)["message.max.bytes"].flatMap { Int($0) }
        }
        let properties = brokers.kafka.effectiveProperties(for: .admin)
        let mechanisms = properties.filter { $0.key.hasPrefix("sasl.mechanism") }
        if repeatsScramNonces, mechanisms.values.contains(where: { $0.hasPrefix("SCRAM") }) {
            facts.scramRefusedByKafka4 = librdkafkaVersion
        }
        facts.securityProtocol = properties["security.protocol"]?.uppercased() ?? facts.securityProtocol
        if facts.securityProtocol.hasPrefix("SASL") { facts.mechanism = mechanisms.values.sorted().first ?? "GSSAPI" }
        facts.network = DoctorNetwork(limit: Self.connectionLimit).brokers(brokers.kafka.bootstrapServers)
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
            facts.rights = await rights(brokers.kafka, admin)
        } catch {
            facts.trouble = KafkaTrouble(error)?.cause
            facts.rights = [DoctorFinding(.unknown, .right, "no broker is reachable")]
            let failure = StartupError(noAnswer: error, from: facts.bootstrapServers)
            facts.brokers = .silent(failure.problem, fix: failure.fix)
        }
        await admin.close(within: .seconds(1))
    }

    private func describeTopics(_ admin: KafkaAdmin, _ facts: inout DoctorFacts) async {
        let required = Set(facts.expectations.map(\.topic))
        let names = required.union(facts.isIngress ? facts.topicNames.state().map(\.name) : [])
        do throws(KafkaError) {
            let topics = try await admin.describeTopics(Array(names), within: timeout)
            facts.deniedTopics = try await admin.deniedTopics(
                among: Array(required.subtracting(topics.map(\.topic))), within: timeout)
            facts.topics = topics
        } catch {
            facts.topicsError = error
        }
    }

    /// Checks the permissions in the `sluicectl topics acls` table.
    private func rights(_ kafka: KafkaConfiguration, _ admin: KafkaAdmin) async -> [DoctorFinding] {
        guard let access = parts.access, let subject = AccessTable.Executable(rawValue: executable.name) else {
            return []
        }
        // The table depends on settings that the executable itself might not have.
        let schema = executable.schema.adding(AclsCommand.schema(access))
        let command = Command(executable.name, summary: "", schema: schema.tolerating(parts.sharedKeys))
        guard case .run(let invocation) = command.parse(commandLine.arguments, environment: environment) else {
            return [DoctorFinding(.unknown, .right, "sluicectl topics acls does not accept this configuration")]
        }
        let required = AclsCommand(configuration: invocation.configuration, access: access).table.rights(of: subject)
        var reader = kafka
        reader.readerGroup = required.first { $0.resource == .group }?.name ?? kafka.readerGroup
        let checks = DoctorRights(
            executable: executable.name, profile: ApplicationSettings.deployment(invocation.configuration),
            rights: KafkaRights(reader, within: timeout), admin: admin, limit: timeout)
        do throws(KafkaError) {
            return try await checks.findings(required)
        } catch {
            return [DoctorFinding(.unknown, .right, error.message)]
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

extension DoctorCommand {
    /// - Throws: a `StartupError` if the selected executable is unknown to this sluicectl.
    init(_ context: CommandContext, _ parts: SluicectlParts) throws(StartupError) {
        let names = parts.executables.map(\.name)
        let name = context.configuration[DoctorSettings.executable(of: names)]
        guard let executable = parts.executables.first(where: { $0.name == name }) else {
            throw StartupError(
                "unknown executable: \(name)", setting: "for", fix: "Specify one of \(names.joined(separator: ", "))",
                exitCode: .usage)
        }
        self.init(
            flags: context.configuration, executable: executable, parts: parts, arguments: context.processArguments,
            environment: context.environment, clocks: context.clocks, timeout: context.timeout)
    }
}

internal import Configuration
internal import Lifecycle
internal import PipelineRuntime
package import Primitives
internal import Telemetry

/// `sluicectl`: parses a command line and runs the command.
package struct Sluicectl: Sendable {
    private let parts: SluicectlParts
    let console: Console
    let clocks: Clocks
    let timeout: Duration
    let interruptions: @Sendable () -> AsyncStream<String>
    /// Publishes reveals of archived records.
    private let publishing: ErasurePublishing

    /// - Parameters:
    ///   - parts: the contributions of the services.
    ///   - timeout: the timeout for the brokers' first response.
    ///   - interruptions: starts catching SIGINT and SIGTERM, for commands that run until interrupted.
    ///   - publishing: publishes a record of each access to archived records.
    package init(
        _ parts: SluicectlParts, console: Console = .standard, clocks: Clocks = .system,
        timeout: Duration = .seconds(10),
        interruptions: @escaping @Sendable () -> AsyncStream<String> = Sluicectl.signals,
        publishing: ErasurePublishing = .kafka
    ) {
        self.parts = parts
        self.console = console
        self.clocks = clocks
        self.timeout = timeout
        self.interruptions = interruptions
        self.publishing = publishing
    }

    func reveals(_ configuration: Configuration) -> ArchiveReveals {
        ArchiveReveals(configuration: configuration, clocks: clocks, timeout: timeout, publishing: publishing)
    }

    /// Yields SIGINT and SIGTERM. The process ends at a second signal, or ten seconds after the first.
    package static let signals: @Sendable () -> AsyncStream<String> = {
        SignalWatch.triggers(maximum: .seconds(10)) { _ in }
    }

    /// - Parameters:
    ///   - arguments: the arguments, without the program name.
    ///   - environment: all environment variables of the process.
    /// - Returns: the exit code. Results and errors have already been printed.
    package func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
        await exitCode(arguments, environment).rawValue
    }

    private func exitCode(_ arguments: [String], _ environment: [String: String]) async -> ExitCode {
        let command = SluicectlCommand.command(parts).tolerating(parts.sharedKeys)
        switch command.parse(arguments, environment: environment) {
        case .show(let text):
            await console.write(text)
            return .ok
        case .refuse(let lines, let exitCode):
            for line in lines { console.complain(line) }
            return ExitCode(rawValue: exitCode)
        case .run(let invocation):
            for line in invocation.warnings { console.complain(line) }
            do {
                return try await perform(invocation, arguments, environment)
            } catch {
                return end(error, command)
            }
        }
    }

    private func perform(
        _ invocation: Invocation, _ arguments: [String], _ environment: [String: String]
    ) async throws -> ExitCode {
        let configuration = invocation.configuration
        switch invocation.commandPath {
        case ["topics", "apply"]:
            return try await TopicsCommand(configuration: configuration, access: parts.access, timeout: timeout)
                .apply(console)
        case ["topics", "check"]:
            return try await TopicsCommand(configuration: configuration, access: parts.access, timeout: timeout)
                .check(console)
        case ["topics", "list"]:
            return try await TopicsListCommand(configuration: configuration, access: parts.access).run(console)
        case ["topics", "acls"]:
            return try await AclsCommand(configuration: configuration, access: try access()).run(console)
        case ["tap"]:
            let tap = TapCommand(configuration: configuration, interruption: interruptions(), timeout: timeout)
            return try await tap.run(console)
        case ["top"]:
            let top = TopCommand(
                configuration: configuration, access: parts.access, clocks: clocks, timeout: timeout,
                interruption: interruptions(), pause: { try await Task.sleep(for: $0) })
            return try await top.run(console)
        case ["pause"], ["resume"], ["pauses"]: return try await control(invocation)
        case ["explain"]: return try await explain(invocation)
        case ["compare-versions"]:
            return try await TwinCommand(configuration: configuration, clocks: clocks, timeout: timeout).run(console)
        case ["verify"]:
            let verify = VerifyCommand(configuration: configuration, source: parts.verification, clocks: clocks)
            return try await verify.run(invocation.arguments.first ?? "-", console)
        case ["config", "check"], ["config", "show"]:
            return await config(invocation, arguments, environment)
        case [DoctorCommand.name]: return try await doctor(configuration, arguments, environment)
        case ["entitlements", "rebuild"]:
            return try await RebuildCommand(configuration: configuration, timeout: timeout).run(console)
        case ["state", "rekey"]:
            return try await RekeyCommand(configuration: configuration, timeout: timeout).run(console)
        case let path where path.first == "cluster": return try await cluster(invocation)
        case let path where path.first == "quarantine": return try await quarantine(invocation)
        case let path where path.first == "dlq": return try await deadLetters(invocation)
        case ["replay"]:
            return try await ReplayCommand(
                configuration: configuration, interruption: Interruption(interruptions()), timeout: timeout
            ).run(invocation.arguments.first, console)
        case let path where path.first == "entitlements": return try await entitlements(invocation)
        case let path where path.first == "webhooks": return try await webhooks(invocation)
        case let path where path.first == "api": return try await api(invocation)
        case let path where path.first == "refunds": return try await refunds(invocation)
        case let path where path.first == "archive": return try await archive(invocation)
        case ["backfill"]:
            return try await BackfillCommand(configuration: configuration, clocks: clocks, timeout: timeout)
                .run(Interruption(interruptions()), console)
        case ["reconcile", "report"]:
            return try await ReconcileReportCommand(configuration: configuration).run(console)
        case ["reconcile", "cancel"]:
            return try await CancelCommand(configuration: configuration, clocks: clocks, timeout: timeout)
                .run(invocation.arguments.first ?? "", console)
        case ["reconcile", "statuses"]:
            return try await StatusesCommand(configuration: configuration, clocks: clocks, timeout: timeout)
                .run(console)
        case [SizeCommand.name]: return try await SizeCommand(configuration: configuration).run(console)
        case ["version"]:
            await VersionCommand.run(configuration[OperationsSettings.output], console)
            return .ok
        default: noCase(invocation)
        }
    }

    private func explain(_ invocation: Invocation) async throws -> ExitCode {
        guard let entitlements = parts.entitlements else { noCase(invocation) }
        let configuration = invocation.configuration
        let command = ExplainCommand(
            configuration: configuration, entitlements: entitlements, clocks: clocks, timeout: timeout,
            reveals: reveals(configuration))
        // Reading a key store blocks the thread, so this does not run on the cooperative pool.
        return try await withTaskExecutorPreference(HandlerThreads.shared) {
            try await command.run(invocation.arguments.first ?? "", console)
        }
    }

    private func control(_ invocation: Invocation) async throws -> ExitCode {
        let command = PauseCommand(
            configuration: invocation.configuration, access: parts.access, webhooks: parts.webhooks, clocks: clocks,
            timeout: timeout)
        let group = invocation.arguments.first ?? ""
        switch invocation.commandPath.last {
        case "pause": return try await command.pause(group, console)
        case "resume": return try await command.resume(group, console)
        case "pauses": return try await command.list(console)
        default: noCase(invocation)
        }
    }

    private func access() throws -> SluicectlParts.Access {
        guard let access = parts.access else {
            throw StartupError(
                "this sluicectl was built without the settings of the executables",
                fix: "Use the sluicectl of the release")
        }
        return access
    }

    private func cluster(_ invocation: Invocation) async throws -> ExitCode {
        let command = ClusterCommand(
            configuration: invocation.configuration, access: try access(), sharedKeys: parts.sharedKeys, clocks: clocks,
            timeout: timeout)
        switch invocation.commandPath.last {
        case "prepare": return try await command.prepare(console)
        case "switch": return try await command.switchOver(console)
        default: noCase(invocation)
        }
    }

    private func quarantine(_ invocation: Invocation) async throws -> ExitCode {
        let command = QuarantineCommand(
            configuration: invocation.configuration, source: parts.verification, clocks: clocks, timeout: timeout)
        let position = invocation.arguments.first
        switch invocation.commandPath.last {
        case "list": return try await command.list(console)
        case "show": return try await command.show(position ?? "", console)
        case "release": return try await command.release(position, Interruption(interruptions()), console)
        default: noCase(invocation)
        }
    }

    private func deadLetters(_ invocation: Invocation) async throws -> ExitCode {
        let command = DeadLettersCommand(configuration: invocation.configuration, timeout: timeout)
        let position = invocation.arguments.first
        switch invocation.commandPath.last {
        case "list": return try await command.list(console)
        case "show": return try await command.show(position ?? "", console)
        case "replay": return try await command.replay(position, Interruption(interruptions()), console)
        case "discard": return try await command.discard(position ?? "", console)
        default: noCase(invocation)
        }
    }

    private func entitlements(_ invocation: Invocation) async throws -> ExitCode {
        let command = EntitlementsCommand(configuration: invocation.configuration)
        let id = invocation.arguments.first ?? ""
        switch invocation.commandPath.last {
        case "show": return try await command.show(id, console)
        case "history": return try await command.history(id, console)
        case "list": return try await command.list(console)
        case "claim": return try await command.claim(id, invocation.arguments.last ?? "", console)
        case "erase": return try await command.erase(id, console)
        default: noCase(invocation)
        }
    }

    private func webhooks(_ invocation: Invocation) async throws -> ExitCode {
        let command = WebhooksCommand(configuration: invocation.configuration, timeout: timeout)
        switch (invocation.commandPath.last, parts.webhooks) {
        case ("attempts", _): return try await command.attempts(console)
        case ("test", let webhooks?): return try await command.test(webhooks, console)
        case ("resend", let webhooks?):
            return try await command.resend(invocation.arguments.first, webhooks, console)
        default: noCase(invocation)
        }
    }

    private func api(_ invocation: Invocation) async throws -> ExitCode {
        let command = APICommand(configuration: invocation.configuration, clocks: clocks)
        let id = invocation.arguments.first ?? ""
        switch invocation.commandPath.last {
        case "transaction": return try await command.transaction(id, console)
        case "subscriptions": return try await command.subscriptions(id, console)
        case "history": return try await command.history(id, console)
        case "refunds": return try await command.refunds(id, console)
        case "order": return try await command.order(id, console)
        case "test-notification": return try await command.testNotification(console)
        default: noCase(invocation)
        }
    }

    private func refunds(_ invocation: Invocation) async throws -> ExitCode {
        let command = RefundsCommand(configuration: invocation.configuration, clocks: clocks, timeout: timeout)
        let preference = RefundPreferenceCommand(refunds: command)
        let id = invocation.arguments.first ?? ""
        switch invocation.commandPath.last {
        case "set": return try await preference.set(id, console)
        case "withdraw": return try await preference.withdraw(id, console)
        case "show" where invocation.commandPath.contains("preference"): return try await preference.show(id, console)
        case "try": return try await command.tryRules(console)
        case "list": return try await command.list(console)
        case "due": return try await command.due(console)
        case "show": return try await command.show(id, console)
        case "answer": return try await RefundAnswerCommand(refunds: command).run(id, console)
        case "stats": return try await command.stats(console)
        case "erase": return try await RefundErasureCommand(refunds: command).run(id, console)
        default: noCase(invocation)
        }
    }

    private func archive(_ invocation: Invocation) async throws -> ExitCode {
        if let code = try await archiveReading(invocation) { return code }
        if let code = try await archivePersons(invocation) { return code }
        if let code = try await archiveProofs(invocation, parts.verification) { return code }
        noCase(invocation)
    }

    /// Reports a programming error: SluicectlCommand declares a command that has no case here. Unknown commands have
    /// already been rejected.
    private func noCase(_ invocation: Invocation) -> Never {
        preconditionFailure("no command \(invocation.commandPath)")
    }

    private func config(
        _ invocation: Invocation, _ arguments: [String], _ environment: [String: String]
    ) async -> ExitCode {
        let configuration = invocation.configuration
        let command = ConfigCommand(
            executables: parts.executables,
            named: configuration[OperationsSettings.executable(of: parts.executables.map(\.name))],
            sharedKeys: parts.sharedKeys, arguments: arguments, environment: environment)
        let output = configuration[OperationsSettings.output]
        return invocation.commandPath.last == "show"
            ? await command.show(output, console) : await command.check(output, console)
    }

    private func doctor(
        _ flags: Configuration, _ arguments: [String], _ environment: [String: String]
    ) async throws -> ExitCode {
        let name = flags[DoctorSettings.executable(of: parts.executables.map(\.name))]
        guard let executable = parts.executables.first(where: { $0.name == name }) else {
            // Programming error: the setting accepts only names of executables.
            preconditionFailure("no \(name)")
        }
        let command = DoctorCommand(
            flags: flags, executable: executable, parts: parts, arguments: arguments, environment: environment,
            clocks: clocks, timeout: timeout)
        // Name resolution and connections block the thread, so this does not run on the cooperative pool.
        return try await withTaskExecutorPreference(HandlerThreads.shared) { try await command.run(console) }
    }

    /// Prints the error on one line and returns its exit code.
    private func end(_ error: any Error, _ command: Command) -> ExitCode {
        if let error = error as? ConfigurationError,
            case .refuse(let lines, let exitCode) = command.refusal(ConfigurationErrors([error]))
        {
            for line in lines { console.complain(line) }
            return ExitCode(rawValue: exitCode)
        }
        let failure = error as? any TerminatingError
        let line = failure?.line ?? "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
        console.complain("\(command.name): \(line)")
        return failure?.exitCode ?? .failure
    }
}

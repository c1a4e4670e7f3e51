package import Configuration
internal import Telemetry

/// The command line of `sluice-simulator`.
package enum SimulatorCommand {
    package static let command = Command(
        "sluice-simulator", summary: "an App Store of your own: signs and posts notifications",
        discussion: """
            Its certificates have Apple's shape but no one trusts them: a service accepts them only when its \
            root.certificates names their root.
            """,
        examples: [
            Command.Example("sluice-simulator pki --out ./pki", "make certificates and show how to trust them"),
            Command.Example(
                "sluice-simulator post --url http://127.0.0.1:8080/notifications", "play every scenario"),
        ],
        subcommands: [post, serve, sign, pki, scenarios], version: Build.version, readsConfiguration: false)

    private static let post = Command(
        "post", summary: "post notifications to a URL as the App Store does",
        discussion: """
            Plays scenarios for simulated customers and posts what the App Store would send. An attempt that is not \
            answered with 200 to 206 is repeated on Apple's schedule: in production 1, 12, 24, 48 and 72 hours after the \
            attempt before it, each divided by --time-scale; in the sandbox never. Exits with 0 when every post was \
            acknowledged in the end. Interrupted, it finishes the posts under way and reports.

            With --api-port it serves the App Store Server API for the customers that it plays, until every refund \
            request is decided. What a scenario does after a refund request is then left out: the request is posted three \
            times, 8 hours apart, while no consumption answer comes; the decision follows the answer's preference \
            --decision-delay after it, and without an answer it is a refund 8 hours after the last request.

            With --formats each event is also, or only, sent as version 1 (v1) or as the status update notification before \
            it (v0), in which many events are not told; attempts are repeated 6, 24 and 48 hours after the one before. What \
            the API decides about refunds is told in version 2.

            With --undelivered a share of the notifications is never posted. Each has a line with "undelivered" in \
            --report, and Get Notification History of --api-port, or of `serve` with the same flags, lists it.
            """,
        schema: ConfigurationSchema([
            SimulatorSettings.url, SimulatorSettings.pki, SimulatorSettings.app, SimulatorSettings.environment,
            SimulatorSettings.scenario, SimulatorSettings.accounts, SimulatorSettings.count, SimulatorSettings.rate,
            SimulatorSettings.duplicates, SimulatorSettings.disorder, SimulatorSettings.undelivered,
            SimulatorSettings.formats, SimulatorSettings.sharedSecretFile, SimulatorSettings.receiptTransactions,
            SimulatorSettings.connections, SimulatorSettings.timeout, SimulatorSettings.timeScale,
            SimulatorSettings.seed, SimulatorSettings.firstRun, SimulatorSettings.asOf,
            SimulatorSettings.report, SimulatorSettings.allowFailures, SimulatorSettings.output, ServerAPISettings.port,
            ServerAPISettings.limit, ServerAPISettings.faults, ServerAPISettings.faultEndpoints,
            ServerAPISettings.isAtApplesSite, ServerAPISettings.latency,
            ServerAPISettings.decisionDelay, ServerAPISettings.acceptUnknown, ServerAPISettings.historyFiles,
        ]),
        examples: [
            Command.Example(
                "sluice-simulator post --url http://127.0.0.1:8080/notifications --scenario subscription-life",
                "one customer's life"),
            Command.Example(
                "sluice-simulator post --url http://127.0.0.1:8080/notifications --count 12000 --rate 200 --accounts 40 "
                    + "--duplicates 15% --disorder 5% --report report.jsonl",
                "a minute of load, with a line for every attempt"),
            Command.Example(
                "sluice-simulator post --url http://127.0.0.1:8080/notifications --scenario subscription-life "
                    + "--formats v2,v1 --shared-secret-file ./shared-secret",
                "the same life in version 2 and in version 1"),
            Command.Example(
                "sluice-simulator post --url http://127.0.0.1:8080/notifications --scenario refund-request --accounts 20 "
                    + "--api-port 8090 --api-limit 50 --api-faults 429=10%,reset=5%",
                "twenty refund requests, and an API that takes the answers and now and then fails"),
        ], readsConfiguration: false)

    private static let serve = Command(
        "serve", summary: "serve the App Store Server API until stopped",
        discussion: """
            One listener for production and one for the sandbox, both on 127.0.0.1; the first line of the output names \
            their ports and the key that tokens are signed with. The API knows the customers and transactions that `post` \
            with the same --scenario, --accounts, --count, --seed, --first-run and --as-of plays, and lists in Get Notification History \
            what that delivers and, with the same --undelivered, what it does not. GET /simulator/consumption shows the \
            consumption answers it got, one JSON object a line; /simulator/requests, /simulator/refunds and \
            /simulator/transactions show the rest. A transaction id of 9999 and the seven digits of one of Apple's error \
            codes is answered with that error.
            """,
        schema: ConfigurationSchema([
            ServerAPISettings.port, ServerAPISettings.sandboxPort, ServerAPISettings.limit, ServerAPISettings.faults,
            ServerAPISettings.faultEndpoints, ServerAPISettings.isAtApplesSite, ServerAPISettings.latency,
            ServerAPISettings.decisionDelay, ServerAPISettings.acceptUnknown,
            ServerAPISettings.historyFiles, SimulatorSettings.undelivered, SimulatorSettings.count,
            SimulatorSettings.formats, SimulatorSettings.receiptTransactions,
            SimulatorSettings.optionalURL, SimulatorSettings.pki, SimulatorSettings.app, SimulatorSettings.environment,
            SimulatorSettings.scenario, SimulatorSettings.accounts, SimulatorSettings.seed, SimulatorSettings.firstRun,
            SimulatorSettings.asOf,
            SimulatorSettings.timeout, SimulatorSettings.timeScale,
        ]),
        examples: [
            Command.Example("sluice-simulator serve --api-port 8090", "an API with one customer of every scenario"),
            Command.Example(
                "sluice-simulator serve --accept-unknown --api-limit apple --api-faults lost=5%,500=10%",
                "takes consumption answers for any transaction, with Apple's limits, and fails now and then"),
            Command.Example(
                "sluice-simulator serve --api-port 8090 --count 20000 --undelivered 2.5%",
                "a history in which 500 of 20,000 notifications were never delivered"),
        ], readsConfiguration: false)

    private static let sign = Command(
        "sign", summary: "sign a payload and print the JWS",
        schema: ConfigurationSchema([SimulatorSettings.pki, SimulatorSettings.body]),
        arguments: [Command.Argument("FILE", help: "the payload, signed byte for byte; - reads standard input")],
        examples: [
            Command.Example("sluice-simulator sign payload.json", "the JWS in compact form"),
            Command.Example(
                "sluice-simulator sign --body payload.json | curl --data-binary @- http://127.0.0.1:8080/notifications",
                "post a payload of your own"),
        ], readsConfiguration: false)

    private static let pki = Command(
        "pki", summary: "make test certificates, or show the existing ones",
        discussion: """
            Writes root.pem, intermediate.pem, leaf.pem and leaf.key, and api.key.p8, the key for tokens of the simulated \
            App Store Server API. Existing files are kept.
            """,
        schema: ConfigurationSchema([SimulatorSettings.out]),
        examples: [Command.Example("sluice-simulator pki --out ./pki", "make or reuse ./pki")],
        readsConfiguration: false)

    private static let scenarios = Command(
        "scenarios", summary: "list the scenarios, or show the steps of one",
        schema: ConfigurationSchema([SimulatorSettings.output]),
        arguments: [Command.Argument("NAME", help: "the scenario to show", isOptional: true)],
        examples: [
            Command.Example("sluice-simulator scenarios", "all of them"),
            Command.Example("sluice-simulator scenarios subscription-life", "what happens in one, and when"),
            Command.Example("sluice-simulator scenarios --output json", "all of them with their steps, for programs"),
        ], readsConfiguration: false)

    /// Runs the requested command.
    ///
    /// - Returns: the exit code: 0 for success, 1 for a failure, whose reason was printed to standard error.
    package static func run(_ invocation: Invocation) async -> Int32 {
        let console = Console()
        do {
            switch invocation.commandPath.first {
            case "post": return try await PostCommand(invocation.configuration).run(console)
            case "serve": return try await ServeCommand(invocation.configuration).run(console)
            case "sign": return try SignCommand(invocation).run(console)
            case "pki": return try PKICommand(directory: invocation.configuration[SimulatorSettings.out]).run(console)
            default: return ScenariosCommand(invocation).run(console)
            }
        } catch {
            console.complain("\(error)")
            return 1
        }
    }
}

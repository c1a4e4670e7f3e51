package import CommandLine
internal import Configuration
internal import Telemetry

/// The command line of `sluice-simulator`.
package enum SimulatorCommand {
    package static let command = Command(
        "sluice-simulator", summary: "simulate the App Store: sign and post notifications",
        discussion: """
            Its certificates look like Apple's, but are not trusted: a service accepts them only if its \
            root.certificates contains their root.
            """,
        examples: [
            Command.Example("sluice-simulator pki --out ./pki", "create certificates and show how to trust them"),
            Command.Example(
                "sluice-simulator post --url http://127.0.0.1:8080/notifications", "play every scenario"),
        ],
        subcommands: [post, serve, sign, pki, scenarios], version: Build.version, readsConfiguration: false)

    private static let post = Command(
        "post", summary: "post notifications to a URL as the App Store does",
        discussion: """
            Plays scenarios for simulated customers and posts the notifications that the App Store would send. An \
            attempt that does not get a status from 200 to 206 is retried on Apple's schedule: in production 1, 12, 24, \
            48 and 72 hours after the previous attempt, each divided by --time-scale; in the sandbox, never. Exits \
            with 0 if every post was eventually acknowledged. When interrupted, it finishes the posts in flight and \
            reports.

            With --api-port it also serves the App Store Server API for the simulated customers, until every refund \
            request is decided. In this case, a scenario's steps after its refund request are skipped. The request is \
            posted up to three times, 8 hours apart, until a consumption answer arrives. After --decision-delay, the \
            decision follows the preference in the answer. Without an answer, the purchase is refunded 8 hours after \
            the last request.

            With --formats, events are also, or only, sent as version 1 (v1) or as the older status update \
            notification (v0). Many events do not exist in these formats. Attempts in these formats are retried 6, 24 \
            and 48 hours after the previous one. The API's refund decisions are sent in version 2.

            With --undelivered, a share of the notifications is never posted. Each gets a line with "undelivered" in \
            --report, and is listed by Get Notification History on --api-port, or by `serve` with the same flags.
            """,
        schema: ConfigurationSchema([
            SimulatorSettings.url, SimulatorSettings.pki, SimulatorSettings.app, SimulatorSettings.appAppleId,
            SimulatorSettings.environment,
            SimulatorSettings.scenario, SimulatorSettings.accounts, SimulatorSettings.notifications,
            SimulatorSettings.rate,
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
                "the lifecycle of one customer's subscription"),
            Command.Example(
                "sluice-simulator post --url http://127.0.0.1:8080/notifications --notifications 12000 --rate 200 "
                    + "--accounts 40 --duplicates 15% --disorder 5% --report report.jsonl",
                "one minute of load, with one report line per attempt"),
            Command.Example(
                "sluice-simulator post --url http://127.0.0.1:8080/notifications --scenario subscription-life "
                    + "--formats v2,v1 --shared-secret-file ./shared-secret",
                "the same subscription lifecycle in version 2 and in version 1"),
            Command.Example(
                "sluice-simulator post --url http://127.0.0.1:8080/notifications --scenario refund-request --accounts 20 "
                    + "--api-port 8090 --api-limit 50 --api-faults 429=10%,reset=5%",
                "twenty refund requests, and an API that accepts the answers and injects failures"),
        ], readsConfiguration: false
    ) { try await PostCommand($0.configuration).run($0.console) }

    private static let serve = Command(
        "serve", summary: "serve the App Store Server API until stopped",
        discussion: """
            Opens one listener for production and one for the sandbox, both on 127.0.0.1; the first line of the output \
            contains their ports and the key that signs tokens. The API serves the customers and transactions of \
            `post` with the same --scenario, --accounts, --notifications, --seed, --first-run and --as-of. Get \
            Notification History lists the delivered notifications and, with the same --undelivered, the undelivered \
            ones. GET /simulator/consumption lists the consumption answers received, one JSON object per line; \
            /simulator/requests, /simulator/refunds and /simulator/transactions list other data. A request for a \
            transaction id that consists of 9999 and the seven digits of one of Apple's error codes returns that error.
            """,
        schema: ConfigurationSchema([
            ServerAPISettings.port, ServerAPISettings.sandboxPort, ServerAPISettings.limit, ServerAPISettings.faults,
            ServerAPISettings.faultEndpoints, ServerAPISettings.isAtApplesSite, ServerAPISettings.latency,
            ServerAPISettings.decisionDelay, ServerAPISettings.acceptUnknown,
            ServerAPISettings.historyFiles, SimulatorSettings.undelivered, SimulatorSettings.notifications,
            SimulatorSettings.formats, SimulatorSettings.receiptTransactions,
            SimulatorSettings.optionalURL, SimulatorSettings.pki, SimulatorSettings.app, SimulatorSettings.appAppleId,
            SimulatorSettings.environment,
            SimulatorSettings.scenario, SimulatorSettings.accounts, SimulatorSettings.seed, SimulatorSettings.firstRun,
            SimulatorSettings.asOf,
            SimulatorSettings.timeout, SimulatorSettings.timeScale,
        ]),
        examples: [
            Command.Example("sluice-simulator serve --api-port 8090", "an API with one customer for every scenario"),
            Command.Example(
                "sluice-simulator serve --accept-unknown --api-limit apple --api-faults lost=5%,500=10%",
                "an API that accepts answers for any transaction, enforces Apple's rate limits, and injects failures"),
            Command.Example(
                "sluice-simulator serve --api-port 8090 --notifications 20000 --undelivered 2.5%",
                "a history in which 500 of 20,000 notifications were never delivered"),
        ], readsConfiguration: false
    ) { try await ServeCommand($0.configuration).run($0.console) }

    private static let sign = Command(
        "sign", summary: "sign a payload and print the JWS",
        schema: ConfigurationSchema([SimulatorSettings.pki, SimulatorSettings.body]),
        arguments: [
            Command.Argument("FILE", help: "file with the payload to sign, byte for byte, or - for standard input")
        ],
        examples: [
            Command.Example("sluice-simulator sign payload.json", "the JWS in compact form"),
            Command.Example(
                "sluice-simulator sign --body payload.json | curl --data-binary @- http://127.0.0.1:8080/notifications",
                "post your own payload"),
        ], readsConfiguration: false
    ) { try await SignCommand($0).run($0.console) }

    private static let pki = Command(
        "pki", summary: "create test certificates, or show the existing ones",
        discussion: """
            Writes root.pem, intermediate.pem, leaf.pem and leaf.key, and api.key.p8, which signs tokens for the \
            simulated App Store Server API. Existing files are kept.
            """,
        schema: ConfigurationSchema([SimulatorSettings.out]),
        examples: [Command.Example("sluice-simulator pki --out ./pki", "create or reuse ./pki")],
        readsConfiguration: false
    ) { try await PKICommand(directory: $0.configuration[SimulatorSettings.out]).run($0.console) }

    private static let scenarios = Command(
        "scenarios", summary: "list the scenarios, or show the steps of one",
        schema: ConfigurationSchema([SimulatorSettings.output]),
        arguments: [Command.Argument("NAME", help: "the scenario to show", isOptional: true)],
        examples: [
            Command.Example("sluice-simulator scenarios", "all scenarios"),
            Command.Example(
                "sluice-simulator scenarios subscription-life", "the steps of one scenario, with their times"),
            Command.Example("sluice-simulator scenarios --output json", "all scenarios with their steps, for scripts"),
        ], readsConfiguration: false
    ) { await ScenariosCommand($0).run($0.console) }
}

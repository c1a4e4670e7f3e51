import Lifecycle
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration

@Suite struct CommandTests {
    static let tool = Command(
        "tool", summary: "operates things.",
        schema: ConfigurationSchema([TestSettings.host, TestSettings.output]),
        subcommands: [
            Command(
                "topics", summary: "works on topics.",
                subcommands: [
                    Command(
                        "create", summary: "creates topics.", schema: ConfigurationSchema([TestSettings.dryRun]),
                        arguments: [
                            Command.Argument("TOPIC", help: "Name of a topic."),
                            Command.Argument("MORE", help: "More names.", isOptional: true, isRepeated: true),
                        ]),
                    Command("list", summary: "lists topics."),
                ]),
            Command(
                "show", summary: "shows a file.", arguments: [Command.Argument("FILE", help: "The file.")],
                readsConfiguration: false),
        ], version: "1.2.3")

    @Test(arguments: [
        ["topics", "create", "a", "b", "--dry-run", "--http.host", "h"],
        ["--http.host=h", "topics", "--dry-run", "create", "a", "b"],
        ["--http.host", "h", "topics", "create", "--dry-run", "--", "a", "b"],
    ])
    func `flags are accepted before and after the command`(arguments: [String]) throws {
        guard case .run(let invocation) = Self.tool.parse(arguments, environment: [:]) else {
            Issue.record("refused: \(Self.tool.parse(arguments, environment: [:]))")
            return
        }
        #expect(invocation.commandPath == ["topics", "create"])
        #expect(invocation.arguments == ["a", "b"])
        #expect(invocation.configuration[TestSettings.dryRun])
        #expect(invocation.configuration[TestSettings.host] == "h")
    }

    @Test func `a command without an action ends with the exit code for usage`() async {
        #expect(await Self.tool.run(["show", "file"], environment: [:]) == .usage)
    }

    @Test(arguments: [
        ([], "missing command; expected one of topics, show. See tool --help."),
        (["topics"], "missing command; expected one of create, list. See tool topics --help."),
        (["topcis"], "unknown command \"topcis\". Did you mean topics?"),
        (["xyzzy"], "unknown command \"xyzzy\". Commands: topics, show."),
        (["topics", "create"], "missing: TOPIC. See tool topics create --help."),
        (["topics", "list", "x"], "unexpected argument \"x\". See tool topics list --help."),
        (["topics", "list", "--http.hots", "x"], "http.hots (--http.hots): unknown key. Did you mean --http.host?"),
        (["topics", "list", "--http.host"], "--http.host needs a value. Pass --http.host VALUE."),
        (["topics", "list", "--http.host", "--output", "x"], "--http.host needs a value."),
        (["topics", "list", "--output", "x", "--output=y"], "--output is given twice."),
        (["topics", "list", "-x"], "unknown flag \"-x\". Flags are --key value or --key=value."),
        (["topics", "list", "--dry-run"], "dry-run (--dry-run): unknown key."),
    ])
    func `an invalid command line is a usage error`(arguments: [String], message: String) {
        let outcome = Self.tool.parse(arguments, environment: [:])
        #expect(outcome.exitCode == 64)
        #expect(outcome.lines.count == 1)
        #expect(outcome.lines.first?.hasPrefix("tool: usage: ") == true)
        #expect(outcome.lines.first?.contains(message) == true, "\(outcome.lines)")
    }

    @Test func `a command without configuration does not read the environment`() {
        let environment = ["SLUICE_FOO": "x", "SLUICE_CONFIG": "/no/such"]
        #expect(Self.tool.parse(["show", "f"], environment: environment).configuration != nil)
        #expect(Self.tool.parse(["topics", "list"], environment: environment).exitCode == 78)
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["topics", "create", "--help"], ["topics", "help"], ["--nonsense=1", "-h"],
    ])
    func `help is shown regardless of other errors`(arguments: [String]) {
        #expect(Self.tool.parse(arguments, environment: ["SLUICE_FOO": "x"]).text?.contains("Usage:") == true)
    }

    @Test func `the version is shown`() {
        #expect(Self.tool.parse(["--version"], environment: [:]).text == "tool 1.2.3\n")
    }

    @Test func `the help of a command names its arguments, options and settings`() {
        let text = Self.tool.parse(["topics", "create", "--help"], environment: [:]).text
        #expect(
            text == """
                tool topics create: creates topics.

                Usage:
                  tool topics create TOPIC [MORE...] [--KEY VALUE]...

                Arguments:
                  TOPIC  Name of a topic.
                  MORE   More names.

                Options:
                  --output TEXT
                      Form of the output. Default text.
                  --dry-run
                      Change nothing.

                Settings, each as key=value in the file, as an environment variable, or as a flag --key value
                (flags override the environment, which overrides the file):
                  http.host  (default 0.0.0.0; SLUICE_HTTP_HOST)
                      Address of the public listener. Expects a non-empty string.

                Always:
                  --config FILE  properties file to read, also set by SLUICE_CONFIG
                  -h, --help     show this help
                  --version      show the version

                """)
    }

    @Test func `the help of an executable lists every key with its variable and an example`() throws {
        let text = try #require(try parse(flags: ["--help"]).text)
        #expect(text.contains("  apps  (required; SLUICE_APPS)\n"))
        #expect(text.contains("  apps.<bundleId>.environments  (default Production; file or flag only)\n"))
        #expect(text.contains("  request.time-out  (default 5s; SLUICE_REQUEST_TIME___OUT)\n"))
        #expect(text.contains("  kafka.*  (SLUICE_KAFKA_*)\n"))
        #expect(text.contains("Examples:\n  # Accept one app\n  sluice-test --apps com.example.app:1\n"))
        #expect(!text.split(separator: "\n").contains { $0.count > 110 })
    }

    @Test func `random command lines never trap`() {
        var generator = SeededGenerator(seed: 11)
        let words = [
            "topics", "create", "--", "-", "--=", "--http.host", "--http.host=", "=", "", "--dry-run", "--dry-run=x",
            "help", "\u{0}", "\u{1F600}", "--config", "--output", "show",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<6, using: &generator)
            let arguments = (0..<count).compactMap { _ in words.randomElement(using: &generator) }
            for line in Self.tool.parse(arguments, environment: [:]).lines { #expect(!line.contains("\n")) }
        }
    }
}

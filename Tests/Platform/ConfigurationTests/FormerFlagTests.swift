import Testing

@testable import CommandLine
@testable import Configuration

/// Flags with a deprecated name, or with a value in a deprecated notation.
@Suite struct FormerFlagTests {
    private static let app = Setting.string("app", help: "The app.").optional.onCommandLineOnly
        .formerly("bundle").formerly("app", if: { $0.contains(":") }, value: { String($0.prefix { $0 != ":" }) })
    private static let appId = Setting.integer("app-id", default: 1, in: 1...99, help: "Its id.").onCommandLineOnly
        .formerly("app", if: { $0.contains(":") }, value: { String($0.drop { $0 != ":" }.dropFirst()) })
    private static let from = Setting.integer("from", default: 0, in: 0...99, help: "A time.").onCommandLineOnly
    private static let file = Setting.string("file", help: "A file.").optional.onCommandLineOnly
        .formerly("from") { Int($0) == nil }
    private static let all = Setting.flag("all", help: "All of them.").formerly("everything")

    private static let tool = Command(
        "tool", summary: "operates things.",
        subcommands: [
            Command("show", summary: "shows.", schema: ConfigurationSchema([app, appId, from, file, all])),
            Command("list", summary: "lists."),
        ])

    private func run(_ arguments: [String]) throws -> Invocation {
        guard case .run(let invocation) = Self.tool.parse(arguments, environment: [:]) else {
            Issue.record("refused: \(Self.tool.parse(arguments, environment: [:]).lines)")
            throw CancellationError()
        }
        return invocation
    }

    @Test func `a deprecated name works like the current one, with a warning`() throws {
        let invocation = try run(["--bundle", "a", "show", "--everything"])
        #expect(invocation.configuration[Self.app] == "a")
        #expect(invocation.configuration[Self.all])
        #expect(
            invocation.warnings == [
                "tool: warning: --bundle is deprecated. Use --app.",
                "tool: warning: --everything is deprecated. Use --all.",
            ])
    }

    @Test func `the present names cause no warning`() throws {
        let invocation = try run(["show", "--app", "a", "--from", "7", "--file", "f", "--all"])
        #expect(invocation.warnings.isEmpty)
        #expect(invocation.configuration[Self.from] == 7)
    }

    @Test func `a name with a new meaning counts as deprecated only for values of the old meaning`() throws {
        let invocation = try run(["show", "--from", "f.txt"])
        #expect(invocation.configuration[Self.file] == "f.txt")
        #expect(invocation.configuration[Self.from] == 0)
        #expect(invocation.warnings == ["tool: warning: --from f.txt is deprecated. Use --file f.txt."])
    }

    @Test func `a value that is now split sets every flag that replaces it`() throws {
        let invocation = try run(["show", "--app", "a:17"])
        #expect(invocation.configuration[Self.app] == "a")
        #expect(invocation.configuration[Self.appId] == 17)
        #expect(invocation.warnings == ["tool: warning: --app a:17 is deprecated. Use --app a --app-id 17."])
    }

    @Test func `a flag's deprecated and current names cannot be combined`() {
        let outcome = Self.tool.parse(["show", "--app", "a", "--bundle", "b"], environment: [:])
        #expect(outcome.exitCode == 64)
        #expect(outcome.lines.contains("tool: usage: --app is given twice."))
    }

    @Test func `an error about a value names the present flag, after the warning`() {
        let outcome = Self.tool.parse(["show", "--app", "a:0"], environment: [:])
        #expect(outcome.exitCode == 78)
        #expect(outcome.lines.first == "tool: warning: --app a:0 is deprecated. Use --app a --app-id 0.")
        #expect(outcome.lines.last?.contains("app-id (--app-id)") == true)
    }

    @Test func `a command without the flag rejects the flag's deprecated name`() {
        #expect(Self.tool.parse(["list", "--bundle", "a"], environment: [:]).exitCode == 64)
    }

    @Test func `help does not list deprecated names`() {
        guard case .show(let help) = Self.tool.parse(["show", "--help"], environment: [:]) else {
            Issue.record("no help")
            return
        }
        #expect(!help.contains("--bundle") && !help.contains("--everything"))
    }
}

internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import JSON
internal import Lifecycle

/// `sluice-simulator scenarios`: lists the available scenarios.
struct ScenariosCommand {
    private let name: String?
    private let output: OutputFormat

    init(_ context: CommandContext) {
        name = context.arguments.first
        output = context.configuration[SimulatorSettings.output]
    }

    func run(_ console: Console) async -> ExitCode {
        guard let name else {
            await console.print(output == .json ? Self.json(Scenario.all) : Self.table())
            return .ok
        }
        guard let scenario = Scenario.named(name) else {
            console.note("unknown scenario \(name); `sluice-simulator scenarios` lists all scenarios")
            return .failure
        }
        await console.print(output == .json ? Self.json(scenario).text : Self.steps(scenario))
        return .ok
    }

    static func table() -> String {
        let width = Scenario.all.map(\.name.count).max() ?? 0
        return Scenario.all.map { scenario in
            scenario.name + String(repeating: " ", count: width - scenario.name.count + 2) + scenario.summary
        }.joined(separator: "\n")
    }

    static func steps(_ scenario: Scenario) -> String {
        let rows = scenario.steps.enumerated().map { index, step in (Self.text(step.moment, isFirst: index == 0), step)
        }
        let width = rows.map(\.0.count).max() ?? 0
        let lines = rows.map { moment, step in
            "  " + moment + String(repeating: " ", count: width - moment.count + 2) + Self.notification(step.event)
        }
        return ([scenario.summary + "."] + lines).joined(separator: "\n")
    }

    static func json(_ scenarios: [Scenario]) -> String {
        "[" + scenarios.map { json($0).text }.joined(separator: ",\n ") + "]"
    }

    static func json(_ scenario: Scenario) -> JSONObject {
        var object = JSONObject()
        object.put("name", scenario.name)
        object.put("summary", scenario.summary)
        object.put(
            "steps",
            scenario.steps.enumerated().map { index, step in
                var object = JSONObject()
                object.put("when", text(step.moment, isFirst: index == 0))
                object.put("notificationType", step.event.notificationType.rawValue)
                object.put("subtype", step.event.subtype?.rawValue)
                return object
            })
        return object
    }

    private static func notification(_ event: ScenarioEvent) -> String {
        event.notificationType.rawValue + (event.subtype.map { " / \($0.rawValue)" } ?? "")
    }

    private static func text(_ moment: Scenario.Moment, isFirst: Bool) -> String {
        switch moment {
        case .after(let delay): isFirst ? "at first" : "after \(text(delay))"
        case .atExpiry: "when the period ends"
        case .beforeExpiry(let delay): "\(text(delay)) before the period ends"
        case .afterExpiry(let delay): "\(text(delay)) after the period has ended"
        case .atGraceEnd: "when the grace period ends"
        case .atRetryEnd: "when Apple stops charging, on day 60"
        }
    }

    private static func text(_ delay: Duration) -> String {
        let minutes = delay.components.seconds / 60
        if minutes % 1440 == 0 { return "\(minutes / 1440) d" }
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes) min"
    }
}

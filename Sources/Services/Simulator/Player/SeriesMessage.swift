/// One message of a scenario: a step, in one of the formats in which the App Store sends it.
struct SeriesMessage: Sendable, Equatable {
    let step: Int
    let format: NotificationFormat
    /// Zero-based index among the step's messages in this format.
    var number = 0

    /// Returns the messages of a scenario step by step, with version 2 first in each step. They are the same in every
    /// run.
    static func all(of scenario: Scenario, app: SimulatedApp, _ formats: Set<NotificationFormat>) -> [SeriesMessage] {
        guard formats != [.v2] else { return scenario.steps.indices.map { SeriesMessage(step: $0, format: .v2) } }
        var messages: [SeriesMessage] = []
        ScenarioPlayer.play(
            scenario, run: 0, account: Account(number: 0, seed: 0), app: app, seed: 0, endingAt: 0
        ) { player, played in
            for format in NotificationFormat.allCases where formats.contains(format) {
                let count = format == .v2 ? 1 : player.legacyTypes(of: played.event, format).count
                messages += (0..<count).map { SeriesMessage(step: played.number, format: format, number: $0) }
            }
        }
        return messages
    }
}

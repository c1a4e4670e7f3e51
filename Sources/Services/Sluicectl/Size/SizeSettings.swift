internal import CommandLine
internal import Configuration

/// The settings of `sluicectl size`.
enum SizeSettings {
    static let notifications = Setting.integer(
        "notifications-per-day", in: 1...10_000_000_000,
        help: "Notifications on an ordinary day, from App Store Connect or sluice_ingress_notifications_total.",
        example: "1000000"
    ).onCommandLineOnly
    static let peak = Setting.integer(
        "peak", default: 10, in: 1...1000, help: "Rate of the busiest second, as a multiple of the day's average."
    ).onCommandLineOnly
    static let utilization = Setting.integer(
        "utilization", default: 50, in: 1...100,
        help: "Planned CPU load per core in percent; the rest is for catching up after an outage."
    ).onCommandLineOnly
    static let replicas = Setting.integer(
        "replication-factor", default: 3, in: 1...100, help: "Number of replicas per partition."
    ).onCommandLineOnly
    static let purchases = Setting.integer(
        "purchases", in: 1...100_000_000_000,
        help: "Total number of purchases. Without it, the size of the entitlement topics is omitted."
    ).optional.onCommandLineOnly
    static let archiveDays = Setting.integer(
        "archive-days", default: 400, in: 1...36_500, help: "Value of archive.retention in days."
    ).onCommandLineOnly
    static let figures = Setting.readableFile(
        "figures", help: "File written by `make bench` on your machine, to use instead of the recorded figures.",
        example: ".build/bench.json"
    ).optional.onCommandLineOnly

    static let all = ConfigurationSchema(
        [notifications, peak, utilization, replicas, purchases, archiveDays, figures, OperationsSettings.output])

    static func demand(_ configuration: Configuration) -> CapacityDemand {
        CapacityDemand(
            notificationsPerDay: configuration[notifications], peak: configuration[peak],
            utilization: configuration[utilization], replicationFactor: configuration[replicas],
            purchases: configuration[purchases], archiveDays: configuration[archiveDays])
    }
}

/// The command line of `sluicectl size`.
extension SluicectlCommand {
    static let size = Command(
        SizeCommand.name, summary: "Estimate cores, partitions, disk and network for a given number of notifications.",
        discussion: """
            Each result lists the `make bench` figures that it uses. The recorded figures are from one machine; \
            --figures uses yours.
            """,
        schema: SizeSettings.all,
        examples: [
            .init("sluicectl size --notifications-per-day 1000000", "Plan for a million notifications per day."),
            .init(
                "sluicectl size --notifications-per-day 1000000 --figures .build/bench.json --output json",
                "Use figures measured on your machine, and print output for scripts."),
        ]
    ) { try await SizeCommand(configuration: $0.configuration).run($0.console) }
}

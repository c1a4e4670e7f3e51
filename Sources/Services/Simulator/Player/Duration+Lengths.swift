/// Durations used by scenarios. A month has 30 days, and a year 365.
extension Duration {
    static func minutes(_ count: Int64) -> Duration { .seconds(count * 60) }
    static func hours(_ count: Int64) -> Duration { .seconds(count * 3600) }
    static func days(_ count: Int64) -> Duration { .seconds(count * 86400) }

    static let week = Duration.days(7)
    static let month = Duration.days(30)
    static let year = Duration.days(365)

    /// The duration in whole milliseconds, the unit of Apple's dates. Saturates on overflow.
    var milliseconds: Int64 {
        let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflow) = seconds.addingReportingOverflow(components.attoseconds / 1_000_000_000_000_000)
        return overflow || sumOverflow ? (components.seconds < 0 ? .min : .max) : sum
    }
}

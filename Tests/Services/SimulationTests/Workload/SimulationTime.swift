/// Moments and durations of a simulation in milliseconds.
enum SimulationTime {
    /// 2026-11-23T12:00:00Z.
    static let start: Int64 = 1_795_435_200_000
    static let hour: Int64 = 3_600_000
}

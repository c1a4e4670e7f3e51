internal import AppStoreModel

/// Detects ingress outages from the notification topics: no records arrived for some time, and then one did. Callers
/// pass the current time; times are in milliseconds since 1970.
///
/// The signal may be wrong, because an app with few customers has quiet periods. A sweep then finds nothing, at the
/// cost of a few requests. Outages that are shorter than the limit or affect only some ingress instances are not
/// detected; the next regular sweep finds the notifications missed during them.
struct OutageSignal: Sendable {
    /// Maximum difference between a record's timestamp and the current time. An older record comes from a backlog or a
    /// rewind, and a later one from a wrong clock. Neither indicates the current state.
    private static let present: Int64 = 300_000

    let silence: Int64
    private var last: [AppStoreEnvironment: Int64] = [:]

    init(silence: Int64) { self.silence = silence }

    /// - Parameters:
    ///   - timestamp: the timestamp of a record written by the ingress.
    ///   - now: the time at which the record is read.
    /// - Returns: whether an outage may have just ended. True for the first record if it is recent, because this
    ///   process has not seen earlier ones.
    mutating func isRecovery(_ timestamp: Int64, in environment: AppStoreEnvironment, at now: Int64) -> Bool {
        guard timestamp - now < Self.present else { return false }
        let before = last[environment]
        last[environment] = max(timestamp, before ?? timestamp)
        guard now - timestamp < Self.present else { return false }
        return before.map { timestamp - $0 > silence } ?? true
    }
}

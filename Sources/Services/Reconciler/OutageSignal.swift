internal import AppStoreModel

/// Finds out from the notification topics that the ingress was unavailable: nothing came for some time, and then something
/// did. A value without a clock; milliseconds since 1970.
///
/// It may be wrong, for an app with few customers is quiet at times; then a sweep finds nothing, at the price of a few
/// requests. It does not see an outage of some of several ingresses, nor one that is shorter than the limit: what was
/// missed then is found by the next sweep at its time.
struct OutageSignal: Sendable {
    /// An older record comes from a backlog or a rewind, and one that is so far ahead from a wrong clock: neither says
    /// anything about the present.
    private static let present: Int64 = 300_000

    let silence: Int64
    private var last: [AppStoreEnvironment: Int64] = [:]

    init(silence: Int64) { self.silence = silence }

    /// - Parameters:
    ///   - timestamp: of a record that the ingress wrote.
    ///   - now: when it is read.
    /// - Returns: whether an outage may just have ended. The first record is one that ends an outage: what came before
    ///   the start of this process is not known.
    mutating func isRecovery(_ timestamp: Int64, in environment: AppStoreEnvironment, at now: Int64) -> Bool {
        guard timestamp - now < Self.present else { return false }
        let before = last[environment]
        last[environment] = max(timestamp, before ?? timestamp)
        guard now - timestamp < Self.present else { return false }
        return before.map { timestamp - $0 > silence } ?? true
    }
}

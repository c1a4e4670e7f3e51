/// What all connections of a listener go by: its limits in nanoseconds, and its admission.
package final class ConnectionRules: Sendable {
    let limits: Limits
    let admit: @Sendable (RequestHead) -> Admission
    let headTime: UInt64
    let requestTime: UInt64
    let handlerTime: UInt64
    let idleTime: UInt64
    let sendTime: UInt64
    let lingerTime: UInt64

    package init(limits: Limits, admit: @escaping @Sendable (RequestHead) -> Admission) {
        self.limits = limits
        self.admit = admit
        headTime = limits.headTime.nanoseconds
        requestTime = limits.requestTime.nanoseconds
        handlerTime = limits.handlerTime.nanoseconds
        idleTime = limits.idleTime.nanoseconds
        sendTime = limits.sendTime.nanoseconds
        lingerTime = limits.lingerTime.nanoseconds
    }
}

extension Duration {
    /// Whole nanoseconds, at least 0 and at most about a century.
    var nanoseconds: UInt64 {
        let century: Int64 = 3_155_760_000
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        return UInt64(min(seconds, century)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}

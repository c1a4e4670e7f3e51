internal import Primitives

/// The settings shared by a listener's connections: its limits, with times in nanoseconds, and its admission function.
package final class ConnectionRules: Sendable {
    let limits: Limits
    let admit: @Sendable (RequestHead) -> Admission
    let headTime: UInt64
    let requestTime: UInt64
    let handlerTime: UInt64
    let idleTime: UInt64
    let proxyIdleTime: UInt64
    let sendTime: UInt64
    let lingerTime: UInt64

    package init(limits: Limits, admit: @escaping @Sendable (RequestHead) -> Admission) {
        self.limits = limits
        self.admit = admit
        headTime = UInt64(limits.headTime.clampedNanoseconds)
        requestTime = UInt64(limits.requestTime.clampedNanoseconds)
        handlerTime = UInt64(limits.handlerTime.clampedNanoseconds)
        idleTime = UInt64(limits.idleTime.clampedNanoseconds)
        // With the PROXY protocol, a connection serves a single client, so the client's idle limit applies.
        let proxyIdleTime = limits.forwarded == .proxyProtocol ? limits.idleTime : limits.proxyIdleTime
        self.proxyIdleTime = UInt64(proxyIdleTime.clampedNanoseconds)
        sendTime = UInt64(limits.sendTime.clampedNanoseconds)
        lingerTime = UInt64(limits.lingerTime.clampedNanoseconds)
    }
}

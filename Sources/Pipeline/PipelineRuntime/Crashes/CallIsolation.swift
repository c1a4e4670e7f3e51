internal import Synchronization

/// Lets a suspected record be handled while no other handler call of the process is running. All consumers of a process
/// share one instance, because a crash proves something about a record only if no other record was being handled.
package final class CallIsolation: Sendable {
    private let all = Permits(1 << 20)
    private let isOn = Atomic(false)

    package init() {}

    /// The permits for calls: a normal call acquires one, and a call that must run alone acquires all of them. Nil if
    /// no consumer has a suspected record.
    var permits: Permits? { isOn.load(ordering: .acquiring) ? all : nil }

    /// Makes all calls of the process acquire permits from now on.
    func turnOn() { isOn.store(true, ordering: .releasing) }
}

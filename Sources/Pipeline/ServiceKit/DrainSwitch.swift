internal import Synchronization

/// A switch that is set when the process starts draining. It makes `/readyz` fail before other services stop.
package final class DrainSwitch: Sendable {
    private let draining = Atomic(false)

    package init() {}

    package var isDraining: Bool { draining.load(ordering: .relaxed) }

    package func set() { draining.store(true, ordering: .relaxed) }

    /// The health check for this switch.
    package var check: HealthCheck {
        HealthCheck("draining", .process) { [self] in isDraining ? "the process is stopping" : nil }
    }
}

internal import Synchronization

/// A switch that is set while a process drains, so that `/readyz` turns away new work first.
package final class DrainSwitch: Sendable {
    private let draining = Atomic(false)

    package init() {}

    package var isDraining: Bool { draining.load(ordering: .relaxed) }

    package func set() { draining.store(true, ordering: .relaxed) }

    /// The check that goes with it.
    package var check: HealthCheck {
        HealthCheck("draining") { [self] in isDraining ? "the process is stopping" : nil }
    }
}

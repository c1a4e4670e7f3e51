internal import Foundation
internal import Simulator

/// A `sluice-ingress` process and its load generator. Its settings are the same as in production, except for the
/// single-node broker.
struct IngressProcess {
    /// Settings shared by all ingresses.
    struct Surroundings {
        let bootstrapServers: String
        let app: SimulatedApp
        /// The paths of the trusted root certificates.
        let roots: [String]
        let bodies: [[UInt8]]
    }

    /// The size of the duplicate window, in acknowledged notifications.
    enum Window: String {
        /// The corpus is posted repeatedly, and every copy becomes a record.
        case one = "1"
        /// The window is larger than the corpus, so a repeated notification is a duplicate.
        case all = "1000000"
    }

    let child: ChildProcess
    let generator: LoadGenerator

    /// Starts the ingress and waits until it is ready.
    ///
    /// - Parameter settings: settings to add to the shared ones.
    init(_ surroundings: Surroundings, window: Window = .one, settings: [String: String] = [:]) throws {
        var arguments = [
            "--kafka.bootstrap.servers", surroundings.bootstrapServers, "--profile", "single-node",
            // This value is the same as in the production profile.
            "--kafka.linger.ms", "5",
            "--revocation", "off", "--apps", surroundings.app.setting,
            "--root.certificates", surroundings.roots.joined(separator: ","),
            "--http.host", "127.0.0.1", "--http.port", "0", "--admin.port", "0",
            "--duplicates.remembered", window.rawValue,
        ]
        for (key, value) in settings { arguments += ["--\(key)", value] }
        child = try ChildProcess("sluice-ingress", arguments)
        guard let port = UInt16(try child.ready(field: "port")) else { throw BenchFailure("no port") }
        generator = LoadGenerator(port: port, bodies: surroundings.bodies)
    }

    /// The result of one run of a load, with the CPU time that it used.
    struct Turn {
        let outcome: LoadGenerator.Outcome
        /// The CPU time of the process per notification, in microseconds.
        let cost: Double
        /// The CPU time per notification of the threads with each role, in microseconds.
        let costs: [ThreadTimes.Role: Double]
    }

    func turn(_ load: LoadGenerator.Load) throws -> Turn {
        let before = try ThreadTimes(of: child)
        let outcome = try generator.run(load)
        let times = try ThreadTimes(of: child).since(before)
        guard outcome.accepted > 0 else { throw BenchFailure("the ingress accepted nothing") }
        let costs = times.mapValues { $0 / 1000 / Double(outcome.accepted) }
        return Turn(outcome: outcome, cost: costs.values.reduce(0, +), costs: costs)
    }
}

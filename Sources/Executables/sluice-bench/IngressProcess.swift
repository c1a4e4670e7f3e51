internal import Foundation
internal import Simulator

/// A `sluice-ingress` as in production, but for brokers that are one node, and the load for it.
struct IngressProcess {
    /// What ingresses are started with alike.
    struct Surroundings {
        let bootstrapServers: String
        let app: SimulatedApp
        /// Files of the roots that are trusted.
        let roots: [String]
        let bodies: [[UInt8]]
    }

    /// How many acknowledged notifications are remembered.
    enum Window: String {
        /// The corpus is posted again and again, and each copy becomes a record.
        case one = "1"
        /// More than the corpus: what comes again is a duplicate.
        case all = "1000000"
    }

    let child: ChildProcess
    let generator: LoadGenerator

    /// Starts it, and waits until it is ready.
    ///
    /// - Parameter settings: beside those that all have.
    init(_ surroundings: Surroundings, window: Window = .one, settings: [String: String] = [:]) throws {
        var arguments = [
            "--kafka.bootstrap.servers", surroundings.bootstrapServers, "--profile", "single-node",
            // As with the profile of production.
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

    /// What a load cost.
    struct Turn {
        let outcome: LoadGenerator.Outcome
        /// CPU time of the process for each notification, in microseconds.
        let cost: Double
        /// The same of its threads.
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

internal import JSON
internal import Lifecycle

/// Measured costs, with the names used by `make bench`.
struct CapacityFigures {
    enum Name: String, CaseIterable {
        /// Median size in bytes of the body that Apple posts.
        case body = "record.simulated.received"
        /// Median size in bytes of a record's key, value and headers in Kafka.
        case record = "record.simulated.median"
        /// CPU time of the ingress per notification, in microseconds, with 64 connections and without precomputed key
        /// tables.
        case ingress = "ingress.evp.cpu_us"
        /// CPU time of `sluice-entitlements` per record, in microseconds.
        case entitlements = "entitlements.cpu_us"
        /// Number of notifications that one core archives per second, including the consumer's work.
        case archive = "archive.process.per_core_second"
        /// Number of bytes on the archive's disk per byte of a record.
        case archiveRatio = "archive.bytes_ratio"
        /// Size in bytes of the published state of a purchase with 156 transactions.
        case state = "renewal.transactions_156.bytes"
    }

    private let values: [Name: Double]

    subscript(name: Name) -> Double { values[name] ?? 0 }

    /// - Throws: a `StartupError` that lists the figures that are missing or not positive.
    init(_ values: [String: Double]) throws(StartupError) {
        var known: [Name: Double] = [:]
        for name in Name.allCases {
            if let value = values[name.rawValue], value > 0, value.isFinite { known[name] = value }
        }
        let missing = Name.allCases.filter { known[$0] == nil }.map(\.rawValue)
        guard missing.isEmpty else {
            throw StartupError(
                "the figures lack \(missing.joined(separator: ", "))",
                fix: "Pass the file written by `make bench`, .build/bench.json", exitCode: .usage)
        }
        self.values = known
    }

    /// - Parameter json: the output of `make bench`: an object whose `figures` member contains numbers keyed by name.
    init(json: [UInt8]) throws(StartupError) {
        guard let file = try? JSONValue(json: json), let figures = file.object?["figures"]?.object else {
            throw StartupError(
                "the file must be a result of `make bench`", fix: "Pass .build/bench.json, which `make bench` writes",
                exitCode: .usage)
        }
        var values: [String: Double] = [:]
        for name in Name.allCases {
            if let number = figures[name.rawValue]?.number { values[name.rawValue] = Double(number.text) }
        }
        try self.init(values)
    }
}

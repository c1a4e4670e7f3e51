extension CapacityFigures {
    /// The figures recorded in the `make bench` run that deploy/capacity.md describes.
    static let recorded: [String: Double] = [
        "record.simulated.received": 19_278,
        "record.simulated.median": 2452,
        "ingress.evp.cpu_us": 186.804,
        "entitlements.cpu_us": 111.198,
        "archive.process.per_core_second": 21_873.825,
        "archive.bytes_ratio": 1.113,
        "renewal.transactions_156.bytes": 3932,
    ]
}

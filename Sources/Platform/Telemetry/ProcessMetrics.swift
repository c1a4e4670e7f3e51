internal import Glibc
internal import Primitives

extension MetricsRegistry {
    /// Registers the standard Prometheus process metrics, read from `/proc` on demand. They are omitted if `/proc`
    /// cannot be read.
    public func collectProcessMetrics() {
        collect { samples in ProcessSnapshot.read()?.add(to: &samples) }
    }
}

/// The state of this process, read from `/proc/self`.
struct ProcessSnapshot: Equatable {
    var cpuSeconds: Double
    var residentBytes: Double
    var virtualBytes: Double
    var startTimeSeconds: Double
    var threads: Double

    static func read() -> ProcessSnapshot? {
        guard let stat = KernelFile.text("/proc/self/stat"), let system = KernelFile.text("/proc/stat")
        else { return nil }
        return ProcessSnapshot(
            stat: stat, bootTimeSeconds: bootTime(system), ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))),
            pageBytes: Double(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// Parses the content of `/proc/self/stat` (proc(5)). Returns nil if the format is unexpected.
    init?(stat: String, bootTimeSeconds: Double, ticksPerSecond: Double, pageBytes: Double) {
        // The program's name is in parentheses and may contain any character. Only numbers follow the last parenthesis.
        guard let end = stat.lastIndex(of: ")"), ticksPerSecond > 0 else { return nil }
        let fields = stat[stat.index(after: end)...].split { $0 == " " || $0 == "\n" }.map { Double($0) }
        // Field 3 (state) is the first field after the name.
        guard fields.count >= 22, let user = fields[11], let system = fields[12], let threads = fields[17],
            let start = fields[19], let virtualBytes = fields[20], let pages = fields[21]
        else { return nil }
        cpuSeconds = (user + system) / ticksPerSecond
        residentBytes = pages * pageBytes
        self.virtualBytes = virtualBytes
        startTimeSeconds = bootTimeSeconds + start / ticksPerSecond
        self.threads = threads
    }

    func add(to samples: inout MetricSamples) {
        samples.counter(
            "process_cpu_seconds_total", help: "Total user and system CPU time in seconds.", seconds: cpuSeconds)
        samples.gauge("process_resident_memory_bytes", help: "Resident memory in bytes.", residentBytes)
        samples.gauge("process_virtual_memory_bytes", help: "Virtual memory in bytes.", virtualBytes)
        samples.gauge(
            "process_start_time_seconds", help: "Start time of the process in seconds since the Unix epoch.",
            startTimeSeconds)
        samples.gauge("process_threads", help: "Number of threads.", threads)
        if let open = Self.openDescriptors() {
            samples.gauge("process_open_fds", help: "Number of open file descriptors.", Double(open))
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            samples.gauge("process_max_fds", help: "Maximum number of open file descriptors.", Double(limit.rlim_cur))
        }
    }

    private static func bootTime(_ text: String) -> Double {
        for line in text.split(separator: "\n") where line.hasPrefix("btime ") {
            return Double(line.dropFirst("btime ".count)) ?? 0
        }
        return 0
    }

    private static func openDescriptors() -> Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Excludes ".", ".." and the directory's own descriptor.
        return max(0, count - 3)
    }
}

import Foundation
import Primitives

/// The writable memory of a child process, read from a core file.
struct ProcessMemory {
    private let regions: [[UInt8]]

    init(_ process: pid_t) throws {
        let maps = KernelFile.text("/proc/\(process)/maps") ?? ""
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw CocoaError(.fileReadNoPermission) }
        defer { close(memory) }
        regions = maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard bounds.count == 2, fields[1].hasPrefix("rw"), !line.contains("[vvar]") else { return nil }
            return Self.read(memory, bounds[0], Int(bounds[1] - bounds[0]))
        }
    }

    var bytesRead: Int { regions.reduce(0) { $0 + $1.count } }

    func count(of text: String) -> Int {
        let pattern = Array(text.utf8)
        guard let first = pattern.first else { return 0 }
        return regions.reduce(0) { count, region in
            region.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return count }
                var (found, position) = (0, 0)
                while position + pattern.count <= bytes.count,
                    let hit = memchr(start + position, Int32(first), bytes.count - pattern.count + 1 - position)
                {
                    if memcmp(hit, pattern, pattern.count) == 0 { found += 1 }
                    position = UnsafeRawPointer(hit) - start + 1
                }
                return count + found
            }
        }
    }

    private static func read(_ memory: Int32, _ start: UInt64, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var position = 0
        while position < count {
            let taken = bytes.withUnsafeMutableBytes {
                pread(
                    memory, $0.baseAddress.map { $0 + position }, min(count - position, 1 << 24),
                    off_t(start) + off_t(position))
            }
            guard taken > 0 else { break }
            position += taken
        }
        return Array(bytes.prefix(position))
    }
}

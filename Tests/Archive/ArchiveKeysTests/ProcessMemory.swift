import Foundation
import Primitives

/// Searches the writable memory of this process.
enum ProcessMemory {
    /// Counts occurrences of the bytes with this complement.
    static func count(ofInverted inverted: [UInt8]) throws -> Int {
        let maps = KernelFile.text("/proc/self/maps") ?? ""
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw CocoaError(.fileReadNoPermission) }
        defer { close(memory) }
        // The memory is copied to a buffer that is excluded from the search.
        let capacity = 1 << 20
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        defer { copy.deallocate() }
        let own = UInt(bitPattern: copy.baseAddress)
        var count = 0
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, fields[1].hasPrefix("rw") else { continue }
            var at = bounds[0]
            while at < bounds[1] {
                let got = pread(memory, copy.baseAddress, min(capacity, Int(bounds[1] - at)), off_t(at))
                guard got > 0 else { break }
                count += matches(UnsafeRawBufferPointer(rebasing: copy[..<got]), inverted) { offset in
                    let address = at + UInt(offset)
                    return address + UInt(inverted.count) <= own || address >= own + UInt(capacity)
                }
                at += UInt(got)
            }
        }
        copy.initializeMemory(as: UInt8.self, repeating: 0)
        return count
    }

    private static func matches(
        _ bytes: UnsafeRawBufferPointer, _ inverted: [UInt8], where isCounted: (Int) -> Bool
    ) -> Int {
        guard let start = bytes.baseAddress, let first = inverted.first, bytes.count >= inverted.count else { return 0 }
        var count = 0
        var at = 0
        while at <= bytes.count - inverted.count,
            let found = memchr(start + at, Int32(~first), bytes.count - inverted.count - at + 1)
        {
            let offset = start.distance(to: UnsafeRawPointer(found))
            var isMatch = true
            for index in inverted.indices where bytes[offset + index] != ~inverted[index] {
                isMatch = false
                break
            }
            if isMatch, isCounted(offset) { count += 1 }
            at = offset + 1
        }
        return count
    }
}

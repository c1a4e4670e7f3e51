import Glibc

/// The bytes of a file. A plain buffer, because an array is slow in a debug build.
final class FileBytes {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count: Int

    init() {
        capacity = 4_096
        memory = .allocate(byteCount: capacity, alignment: 8)
        count = 0
    }

    init(copying other: FileBytes) {
        capacity = max(4_096, other.count)
        memory = .allocate(byteCount: capacity, alignment: 8)
        count = other.count
        memcpy(memory, other.memory, count)
    }

    deinit { memory.deallocate() }

    /// Copies bytes into a buffer.
    ///
    /// - Returns: the number of bytes that exist there.
    func read(into buffer: UnsafeMutableRawPointer, _ amount: Int, at offset: Int) -> Int {
        let found = max(0, min(amount, count - offset))
        if found > 0 { memcpy(buffer, memory + offset, found) }
        return found
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(start: memory, count: count))
    }

    func write(_ data: UnsafeRawBufferPointer, at offset: Int) {
        resize(to: max(count, offset + data.count))
        if let base = data.baseAddress { memcpy(memory + offset, base, data.count) }
    }

    /// Changes the length; new bytes are zero.
    func resize(to size: Int) {
        if size > capacity {
            let larger = max(size, 2 * capacity)
            let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
            memcpy(moved, memory, count)
            memory.deallocate()
            (memory, capacity) = (moved, larger)
        }
        if size > count { memset(memory + count, 0, size - count) }
        count = size
    }
}

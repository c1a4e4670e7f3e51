internal import Glibc

/// Reads the entries of a run in order.
final class EntryRunReader {
    /// The current entry, valid until the next one is read; nil at the end.
    private(set) var entry: HeldEntry?

    private let file: Int32
    private var unread: Range<Int>
    private var buffer: UnsafeMutableRawBufferPointer
    /// Position of the next entry in the buffer.
    private var position = 0
    /// Number of bytes in the buffer.
    private var count = 0

    private static let capacity = 64 << 10

    init(_ run: Range<Int>, of file: Int32) {
        self.file = file
        unread = run
        buffer = .allocate(byteCount: Self.capacity, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Reads the next entry.
    ///
    /// - Throws: a ``StateError`` if the file cannot be read.
    func advance() throws(StateError) {
        entry = nil
        guard position < count || !unread.isEmpty else { return }
        try require(EntryRunWriter.headerLength)
        let lengths = buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        let row = buffer.loadUnaligned(fromByteOffset: position + 8, as: Int64.self)
        let isPresent = buffer.loadUnaligned(fromByteOffset: position + 16, as: UInt64.self) != 0
        let length = Int(UInt32(truncatingIfNeeded: lengths))
        try require(EntryRunWriter.headerLength + length)
        let value = position + EntryRunWriter.headerLength
        position = value + length
        entry = HeldEntry(
            name: Int(lengths >> 32), value: UnsafeRawBufferPointer(rebasing: buffer[value..<position]), row: row,
            isPresent: isPresent)
    }

    /// Reads more of the file until the buffer has at least `length` bytes after the position.
    private func require(_ length: Int) throws(StateError) {
        guard count - position < length else { return }
        let rest = UnsafeRawBufferPointer(rebasing: buffer[position..<count])
        if length > buffer.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
            larger.copyMemory(from: rest)
            buffer.deallocate()
            buffer = larger
        } else if let start = buffer.baseAddress, let from = rest.baseAddress, !rest.isEmpty {
            memmove(start, from, rest.count)
        }
        count -= position
        position = 0
        while count < length {
            let size = min(buffer.count - count, unread.count)
            let result = pread(file, buffer.baseAddress.map { $0 + count }, size, off_t(unread.lowerBound))
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw EntryRuns.failure("read") }
            count += result
            unread = unread.lowerBound + result..<unread.upperBound
        }
    }
}

/// Merges runs into index order. Changes to the same entry come in the order of their runs.
final class EntryMerge {
    private let readers: [EntryRunReader]
    private let ranks: [Int]
    /// The file stays open as long as its readers exist.
    private let runs: EntryRuns
    /// Indexes of the readers that have an entry, as a heap with the first entry at the root.
    private var heap: [Int] = []
    private var isStarted = false

    init(_ runs: EntryRuns, ranks: [Int]) throws(StateError) {
        self.runs = runs
        self.ranks = ranks
        readers = runs.runs.map { EntryRunReader($0, of: runs.file) }
        for reader in readers { try reader.advance() }
        heap = readers.indices.filter { readers[$0].entry != nil }
        for index in heap.indices.reversed() { sink(index) }
    }

    /// Returns the next entry, which is valid until the next call; nil at the end.
    func next() throws(StateError) -> HeldEntry? {
        if isStarted, let first = heap.first {
            try readers[first].advance()
            if readers[first].entry == nil {
                let last = heap.removeLast()
                if !heap.isEmpty { heap[0] = last }
            }
            sink(0)
        }
        isStarted = true
        return heap.first.flatMap { readers[$0].entry }
    }

    /// Moves a reader down to its place in the heap.
    private func sink(_ index: Int) {
        var index = index
        while true {
            var first = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && precedes(child, first) {
                first = child
            }
            guard first != index else { return }
            heap.swapAt(index, first)
            index = first
        }
    }

    private func precedes(_ one: Int, _ other: Int) -> Bool {
        guard let left = readers[heap[one]].entry, let right = readers[heap[other]].entry else { return false }
        let order = HeldEntry.compare(left, right, ranks)
        return order == 0 ? heap[one] < heap[other] : order < 0
    }
}

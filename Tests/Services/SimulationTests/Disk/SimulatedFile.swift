/// The content of a file, and what of it would survive a power loss.
final class SimulatedFile {
    private enum Change {
        case write(at: Int, FileBytes)
        case truncate(to: Int)
    }

    let bytes: FileBytes
    private var synced: FileBytes
    /// Changes since the last sync, oldest first.
    private var unsynced: [Change] = []
    /// Lock levels of SQLite (`SQLITE_LOCK_…`) by open handle.
    var locks: [ObjectIdentifier: Int32] = [:]
    /// Memory shared by the connections to a database; it does not survive the process.
    private(set) var sharedMemory: [UnsafeMutableRawPointer] = []

    init() {
        bytes = FileBytes()
        synced = FileBytes()
    }

    /// Creates a copy as a killed process leaves it.
    init(afterKillOf file: SimulatedFile) {
        bytes = FileBytes(copying: file.bytes)
        synced = file.synced
        unsynced = file.unsynced
    }

    /// Creates a copy as a power loss leaves it: each change since the last sync may be lost.
    init(afterPowerLossOf file: SimulatedFile, _ isKept: () -> Bool) {
        bytes = FileBytes(copying: file.synced)
        synced = bytes
        for change in file.unsynced where isKept() { apply(change) }
        synced = FileBytes(copying: bytes)
    }

    deinit { for region in sharedMemory { region.deallocate() } }

    func write(_ data: UnsafeRawBufferPointer, at offset: Int) {
        bytes.write(data, at: offset)
        let copy = FileBytes()
        copy.write(data, at: 0)
        unsynced.append(.write(at: offset, copy))
    }

    func truncate(to size: Int) {
        apply(.truncate(to: size))
        unsynced.append(.truncate(to: size))
    }

    func sync() {
        synced = FileBytes(copying: bytes)
        unsynced = []
    }

    /// Returns a region of the shared memory; nil if it does not exist and `extending` is false.
    func region(_ index: Int, size: Int, extending: Bool) -> UnsafeMutableRawPointer? {
        while extending, sharedMemory.count <= index {
            let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
            region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            sharedMemory.append(region)
        }
        return index < sharedMemory.count ? sharedMemory[index] : nil
    }

    private func apply(_ change: Change) {
        switch change {
        case .write(let offset, let data): data.withBytes { bytes.write($0, at: offset) }
        case .truncate(let size): bytes.resize(to: min(size, bytes.count))
        }
    }
}

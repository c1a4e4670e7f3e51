import CSQLite
import Glibc

/// An open file of a simulated disk, as SQLite's `sqlite3_file`: the methods, followed by a reference to this object.
final class SimulatedHandle {
    /// The size of the part of `sqlite3_file` that is used.
    static let size = Int32(MemoryLayout<sqlite3_file>.size + MemoryLayout<UnsafeRawPointer>.size)

    private let disk: SimulatedDisk
    private let file: SimulatedFile

    private init(_ disk: SimulatedDisk, _ file: SimulatedFile) {
        self.disk = disk
        self.file = file
    }

    static func open(
        _ disk: SimulatedDisk, _ suffix: String, _ place: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        place.pointee.pMethods = nil
        guard let file = disk.file(suffix) ?? (flags & SQLITE_OPEN_CREATE != 0 ? disk.create(suffix) : nil) else {
            return SQLITE_CANTOPEN
        }
        let handle = Unmanaged.passRetained(SimulatedHandle(disk, file))
        reference(place).initialize(to: handle.toOpaque())
        place.pointee.pMethods = UnsafePointer(methods.pointer)
        outFlags?.pointee = flags
        return SQLITE_OK
    }

    private static func reference(
        _ file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
        (UnsafeMutableRawPointer(file) + MemoryLayout<sqlite3_file>.size)
            .assumingMemoryBound(to: UnsafeMutableRawPointer.self)
    }

    private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> SimulatedHandle? {
        file.map { Unmanaged<SimulatedHandle>.fromOpaque(reference($0).pointee).takeUnretainedValue() }
    }

    // MARK: Methods

    private struct Methods: @unchecked Sendable {
        // @unchecked Sendable because the methods never change.
        let pointer: UnsafeMutablePointer<sqlite3_io_methods>
    }

    private static let methods: Methods = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        methods.pointee.iVersion = 2
        addFileMethods(methods)
        addLockMethods(methods)
        addSharedMemoryMethods(methods)
        return Methods(pointer: methods)
    }()

    private static func addFileMethods(_ methods: UnsafeMutablePointer<sqlite3_io_methods>) {
        methods.pointee.xClose = { place in
            guard let place else { return SQLITE_MISUSE }
            let handle = Unmanaged<SimulatedHandle>.fromOpaque(SimulatedHandle.reference(place).pointee)
            handle.takeUnretainedValue().unlock()
            handle.release()
            return SQLITE_OK
        }
        methods.pointee.xRead = { place, buffer, amount, offset in
            guard let handle = SimulatedHandle.of(place), let buffer else { return SQLITE_MISUSE }
            return handle.read(into: buffer, Int(amount), at: Int(offset))
        }
        methods.pointee.xWrite = { place, buffer, amount, offset in
            guard let handle = SimulatedHandle.of(place), let buffer else { return SQLITE_MISUSE }
            return handle.write(UnsafeRawBufferPointer(start: buffer, count: Int(amount)), at: Int(offset))
        }
        methods.pointee.xTruncate = { place, size in
            SimulatedHandle.of(place)?.file.truncate(to: Int(size))
            return SQLITE_OK
        }
        methods.pointee.xSync = { place, _ in
            SimulatedHandle.of(place)?.file.sync()
            return SQLITE_OK
        }
        methods.pointee.xFileSize = { place, size in
            size?.pointee = Int64(SimulatedHandle.of(place)?.file.bytes.count ?? 0)
            return SQLITE_OK
        }
        methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.pointee.xSectorSize = { _ in 4_096 }
        methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    }

    private static func addLockMethods(_ methods: UnsafeMutablePointer<sqlite3_io_methods>) {
        methods.pointee.xLock = { place, level in SimulatedHandle.of(place)?.lock(level) ?? SQLITE_MISUSE }
        methods.pointee.xUnlock = { place, level in
            guard let handle = SimulatedHandle.of(place) else { return SQLITE_MISUSE }
            handle.file.locks[ObjectIdentifier(handle)] = level
            return SQLITE_OK
        }
        methods.pointee.xCheckReservedLock = { place, result in
            let levels = SimulatedHandle.of(place)?.file.locks.values.map(\.self) ?? []
            result?.pointee = levels.contains { $0 >= SQLITE_LOCK_RESERVED } ? 1 : 0
            return SQLITE_OK
        }
    }

    /// The connections of a simulated process run in one thread, and no step ends within a transaction, so that the
    /// locks of the shared memory never conflict.
    private static func addSharedMemoryMethods(_ methods: UnsafeMutablePointer<sqlite3_io_methods>) {
        methods.pointee.xShmMap = { place, index, size, extends, result in
            result?.pointee = SimulatedHandle.of(place)?.file.region(
                Int(index), size: Int(size), extending: extends != 0)
            return SQLITE_OK
        }
        methods.pointee.xShmLock = { _, _, _, _ in SQLITE_OK }
        methods.pointee.xShmBarrier = { _ in }
        methods.pointee.xShmUnmap = { _, _ in SQLITE_OK }
    }

    // MARK: Reading and writing

    private func read(into buffer: UnsafeMutableRawPointer, _ amount: Int, at offset: Int) -> Int32 {
        let count = file.bytes.read(into: buffer, amount, at: offset)
        guard count < amount else { return SQLITE_OK }
        memset(buffer + count, 0, amount - count)
        return SQLITE_IOERR | (2 << 8)
    }

    private func write(_ data: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        if disk.failingWrites > 0 {
            disk.failingWrites -= 1
            return SQLITE_IOERR | (3 << 8)
        }
        if disk.isFull, offset + data.count > file.bytes.count { return SQLITE_FULL }
        file.write(data, at: offset)
        return SQLITE_OK
    }

    private func lock(_ level: Int32) -> Int32 {
        let own = ObjectIdentifier(self)
        let others = file.locks.filter { $0.key != own }.values
        let isBusy =
            level >= SQLITE_LOCK_EXCLUSIVE
            ? others.contains { $0 >= SQLITE_LOCK_SHARED }
            : level >= SQLITE_LOCK_RESERVED && others.contains { $0 >= SQLITE_LOCK_RESERVED }
        if isBusy { return SQLITE_BUSY }
        file.locks[own] = max(level, file.locks[own] ?? 0)
        return SQLITE_OK
    }

    private func unlock() { file.locks[ObjectIdentifier(self)] = nil }
}

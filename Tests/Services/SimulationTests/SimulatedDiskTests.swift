import SQLite
import TestSupport
import Testing

/// A simulated disk loses exactly what a real one may lose.
@Suite struct SimulatedDiskTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ disk: SimulatedDisk, _ name: String) throws -> Database {
        SimulatedVFS.register(directory.file(name), disk)
        return try Database(path: directory.file(name))
    }

    private func numbers(_ disk: SimulatedDisk, _ name: String) throws -> [Int64] {
        let database = try open(disk, name)
        defer {
            database.close()
            SimulatedVFS.unregister(directory.file(name))
        }
        #expect(try database.quickCheck().isEmpty)
        return try database.rows("SELECT number FROM numbers ORDER BY number") { try $0.integer(0) }
    }

    /// Returns a disk with number 1, which is synchronized, and number 2, which is only written.
    private func disk() throws -> (SimulatedDisk, Database) {
        let disk = SimulatedDisk()
        let database = try open(disk, "first")
        try database.run("CREATE TABLE numbers (number INTEGER)")
        try database.run("INSERT INTO numbers VALUES (1)")
        try database.executeScript("PRAGMA wal_checkpoint(TRUNCATE)")
        try database.run("INSERT INTO numbers VALUES (2)")
        return (disk, database)
    }

    @Test func `a killed process loses nothing`() throws {
        let (disk, database) = try disk()
        #expect(try numbers(disk.afterKill(), "killed") == [1, 2])
        database.close()
    }

    @Test func `a power loss takes only what was not synchronized`() throws {
        let (disk, database) = try disk()
        #expect(try numbers(disk.afterPowerLoss { false }, "none") == [1])
        #expect(try numbers(disk.afterPowerLoss { true }, "all") == [1, 2])
        database.close()
    }

    @Test func `no subset of the unsynchronized changes damages the database`() throws {
        let (disk, database) = try disk()
        for number in 3...12 { try database.run("INSERT INTO numbers VALUES (?)", [.integer(number)]) }
        for seed in 1...50 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let found = try numbers(disk.afterPowerLoss { Bool.random(using: &random) }, "\(seed)")
            // A prefix of the transactions.
            #expect(found == (0..<Int64(found.count)).map { $0 + 1 } && !found.isEmpty)
        }
        database.close()
    }

    @Test func `a full disk and a failing one refuse a transaction as a whole`() throws {
        let (disk, database) = try disk()
        disk.isFull = true
        #expect(throws: SQLiteError.self) { try database.run("INSERT INTO numbers VALUES (3)") }
        disk.isFull = false
        disk.failingWrites = 1
        #expect(throws: SQLiteError.self) { try database.run("INSERT INTO numbers VALUES (3)") }
        try database.run("INSERT INTO numbers VALUES (4)")
        #expect(try database.rows("SELECT number FROM numbers ORDER BY number") { try $0.integer(0) } == [1, 2, 4])
        database.close()
    }
}

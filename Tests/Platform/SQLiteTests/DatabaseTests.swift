import Foundation
import TestSupport
import Testing

@testable import SQLite

extension TemporaryDirectory {
    fileprivate var database: String { file("test.sqlite") }
}

private struct TestFailure: Error {}

/// Returns the error thrown by an operation that must fail.
func sqliteError(_ body: () throws -> Void) throws -> SQLiteError {
    try #require(throws: SQLiteError.self, performing: body)
}

@Suite struct DatabaseTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> Database {
        let database = try Database(path: directory.database)
        try database.executeScript("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        return database
    }

    private func names(_ database: Database) throws -> [String] {
        try database.rows("SELECT name FROM t ORDER BY id") { row in try row.text(0) }
    }

    // MARK: Opening

    @Test func `a writer uses a write-ahead log, normal synchronization and foreign keys`() throws {
        let database = try open()
        #expect(try database.firstRow("PRAGMA journal_mode") { row in try row.text(0) } == "wal")
        #expect(try database.firstRow("PRAGMA synchronous") { row in try row.integer(0) } == 1)
        #expect(try database.firstRow("PRAGMA foreign_keys") { row in try row.integer(0) } == 1)
    }

    @Test func `a writer uses its configured buffers`() throws {
        let database = try Database(path: directory.file("buffers"))
        func values() throws -> [Int64?] {
            try ["PRAGMA cache_size", "PRAGMA wal_autocheckpoint"].map {
                try database.firstRow($0) { row in try row.integer(0) }
            }
        }
        #expect(try values() == [-4_096, 4_000])
        try database.use(Database.WriteBuffers(cache: 1_024, log: 100))
        #expect(try values() == [-1_024, 100])
        try database.use(.usual)
        #expect(try values() == [-4_096, 4_000])
    }

    @Test func `a log that has grown is truncated with smaller buffers`() throws {
        let path = directory.file("log")
        let database = try Database(path: path)
        try database.run("CREATE TABLE t (a)")
        func logSize() throws -> Int64 {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
            return try #require((attributes[.size] as? NSNumber)?.int64Value)
        }
        try database.use(Database.WriteBuffers(cache: 4_096, log: 4_000))
        try database.run("INSERT INTO t VALUES (zeroblob(2000000))")
        #expect(try logSize() > 2_000_000)
        try database.use(Database.WriteBuffers(cache: 4_096, log: 10))
        // The first insert is checkpointed with the earlier ones, and the second restarts the log.
        for _ in 0..<2 { try database.run("INSERT INTO t VALUES (1)") }
        #expect(try logSize() <= 10 * 4_096)
        #expect(try database.firstRow("SELECT count(*) FROM t") { try $0.integer(0) } == 3)
    }

    @Test func `committed rows are present after reopening`() throws {
        try open().run("INSERT INTO t VALUES (1, 'a')")
        #expect(try names(try open()) == ["a"])
    }

    @Test func `writers that share a file see each other's rows and exclude an exclusive writer`() throws {
        let path = directory.file("shared.db")
        let first = try Database(path: path, access: .sharedWriter)
        let second = try Database(path: path, access: .sharedWriter)
        try first.run("CREATE TABLE t (a)")
        try second.transaction { try second.run("INSERT INTO t VALUES (1)") }
        #expect(try first.rows("SELECT a FROM t") { try $0.integer(0) } == [1])
        let error = try sqliteError { _ = try Database(path: path) }
        #expect(error.code == .ownedByAnother)
        first.close()
        second.close()
        let alone = try Database(path: path)
        #expect(throws: SQLiteError.self) { try Database(path: path, access: .sharedWriter) }
        alone.close()
    }

    @Test func `writers that share a new file apply each migration once`() async throws {
        let path = directory.file("shared.db")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let database = try Database(path: path, access: .sharedWriter)
                    try database.migrate([Migration("CREATE TABLE t (a)"), Migration("INSERT INTO t VALUES (1)")])
                }
            }
            try await group.waitForAll()
        }
        let database = try Database(path: path, access: .sharedWriter)
        #expect(try database.rows("SELECT a FROM t") { try $0.integer(0) } == [1])
    }

    /// When two connections switch a file to a write-ahead log simultaneously, one fails immediately, regardless of the
    /// busy timeout.
    @Test func `writers that create a shared file at the same time wait for each other`() async throws {
        for round in 0..<40 {
            let path = directory.file("shared-\(round).db")
            let gate = Gate()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await gate.pass()
                        let database = try Database(path: path, access: .sharedWriter)
                        try database.run("CREATE TABLE IF NOT EXISTS t (a)")
                    }
                }
                gate.open()
                try await group.waitForAll()
            }
        }
    }

    @Test func `a second writer is refused until the first one closes`() throws {
        let first = try open()
        for _ in 0..<10 {
            let error = try sqliteError { _ = try Database(path: directory.database) }
            #expect(error.code == .ownedByAnother)
            #expect(error.isRetriable)
            #expect(!error.isCorrupt)
        }
        first.close()
        try open().run("INSERT INTO t VALUES (1, 'a')")
    }

    @Test func `a second process cannot acquire the lock`() throws {
        let database = try open()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["flock", "--exclusive", "--nonblock", directory.database + ".lock", "true"]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(try names(database) == [])
    }

    @Test func `a reader sees committed rows and cannot write`() throws {
        let writer = try open()
        let reader = try Database(path: directory.database, access: .reader)
        try writer.transaction {
            try writer.run("INSERT INTO t VALUES (1, 'a')")
            let seen = try names(reader)
            #expect(seen == [])
        }
        #expect(try names(reader) == ["a"])
        #expect(try sqliteError { try reader.run("DELETE FROM t") }.code == .readOnly)
    }

    @Test func `a reader requires an existing file`() throws {
        let error = try sqliteError { _ = try Database(path: directory.database, access: .reader) }
        #expect(error.code == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: directory.database))
    }

    @Test(arguments: ["missing/x", "directory", "a\u{0}b"])
    func `a path that cannot be opened is an error`(name: String) throws {
        try FileManager.default.createDirectory(atPath: directory.file("directory"), withIntermediateDirectories: false)
        #expect(throws: SQLiteError.self) { try Database(path: directory.file(name)) }
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a file that is not a database is reported as corrupt`(seed: Int) throws {
        var bytes = (0..<8_192).map { UInt8(truncatingIfNeeded: ($0 &* 167 &+ seed) >> 3) }
        if seed == 1 { bytes = Array("SQLite format 3\u{0}".utf8) + bytes }
        try Data(bytes).write(to: URL(fileURLWithPath: directory.database))
        let error = try sqliteError {
            let database = try Database(path: directory.database)
            _ = try database.quickCheck()
        }
        #expect(error.isCorrupt, "\(error)")
        #expect(!error.isRetriable)
    }

    @Test func `corruption inside the file is found by the check or by the reads`() throws {
        let database = try open()
        try database.transaction {
            for number in 0..<2_000 {
                try database.run("INSERT INTO t VALUES (?, ?)", [.integer(number), "some name"])
            }
        }
        #expect(try database.quickCheck() == [])
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        let url = URL(fileURLWithPath: directory.database)
        var data = try Data(contentsOf: url)
        for index in stride(from: 4_096, to: data.count, by: 7) { data[index] ^= 0x5A }
        try data.write(to: url)
        let damaged = try Database(path: directory.database)
        do {
            #expect(try damaged.quickCheck() != [])
        } catch let error as SQLiteError {
            #expect(error.isCorrupt)
        }
    }

    // MARK: Values

    @Test func `every type of value is read as written`() throws {
        let database = try Database.inMemory()
        let values: [SQLiteValue] = [.integer(Int64.min), .real(0.1), .text("é\u{0}😀"), .blob([0, 255]), .null]
        func check(_ row: Row) throws -> Bool {
            #expect(row.columnCount == 5)
            #expect(try row.integer(0) == Int64.min)
            #expect(try row.real(1) == 0.1)
            #expect(try row.text(2) == "é\u{0}😀")
            #expect(try row.blob(3) == [0, 255])
            #expect(try row.isNull(4))
            #expect(try row.integerOrNil(4) == nil)
            #expect(try row.integerOrNil(0) == Int64.min)
            return true
        }
        #expect(try database.firstRow("SELECT ?, ?, ?, ?, ?", values, check) == true)
    }

    @Test func `empty text and empty bytes are not null`() throws {
        let database = try Database.inMemory()
        func check(_ row: Row) throws -> Bool {
            #expect(try row.text(0) == "")
            #expect(try row.blob(1) == [])
            #expect(try row.text(2) == "text")
            #expect(try row.text(3) == "blob")
            return true
        }
        let values: [SQLiteValue] = ["", .blob([]), "", .blob([])]
        #expect(try database.firstRow("SELECT ?, ?, typeof(?), typeof(?)", values, check) == true)
    }

    @Test(arguments: ["NULL", "1", "1.5", "'a'", "x'00'"])
    func `reading another type is an error, without conversion`(literal: String) throws {
        let database = try Database.inMemory()
        func read(_ body: @escaping (Row) throws -> Void) -> SQLiteError? {
            do {
                _ = try database.firstRow("SELECT \(literal)", [], body)
                return nil
            } catch {
                return error as? SQLiteError
            }
        }
        #expect(read { _ = try $0.integer(0) }?.code == (literal == "1" ? nil : .wrongType))
        #expect(read { _ = try $0.real(0) }?.code == (["1", "1.5"].contains(literal) ? nil : .wrongType))
        #expect(read { _ = try $0.text(0) }?.code == (literal == "'a'" ? nil : .wrongType))
        #expect(read { _ = try $0.blob(0) }?.code == (literal == "x'00'" ? nil : .wrongType))
        for column in [-1, 1, Int.max, Int.min] { #expect(read { _ = try $0.integer(column) }?.code == .wrongType) }
    }

    @Test func `a row kept after reading has no columns`() throws {
        let database = try open()
        let kept = try #require(try database.firstRow("SELECT 'a'") { row in row })
        #expect(try sqliteError { _ = try kept.text(0) }.code == .wrongType)
        database.close()
        #expect(try sqliteError { _ = try kept.text(0) }.code == .wrongType)
    }

    @Test func `text that is not UTF-8 is an error`() throws {
        let database = try Database.inMemory()
        let error = try sqliteError {
            _ = try database.firstRow("SELECT CAST(x'ff' AS TEXT)") { row in try row.text(0) }
        }
        #expect(error.code == .wrongType)
    }

    // MARK: Statements

    @Test(arguments: [[], [SQLiteValue.null], [1, 2, 3]])
    func `the number of values must equal the number of parameters`(values: [SQLiteValue]) throws {
        let database = try Database.inMemory()
        let error = try sqliteError { try database.run("SELECT ?, ?", values) }
        #expect(error.code == .wrongParameterCount)
    }

    @Test(arguments: ["SELEC", "", "SELECT 1; SELECT 2", "SELECT * FROM nothing", "\u{0}"])
    func `the error for an invalid statement shows it`(sql: String) throws {
        let error = try sqliteError { try Database.inMemory().run(sql) }
        #expect(error.sql == sql)
    }

    @Test func `a query inside a query of the same text works`() throws {
        let database = try open()
        try database.executeScript("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
        let sql = "SELECT name FROM t ORDER BY id"
        let pairs = try database.rows(sql) { outer in
            let name = try outer.text(0)
            return try database.rows(sql) { inner in name + (try inner.text(0)) }
        }
        #expect(pairs == [["aa", "ab"], ["ba", "bb"]])
    }

    @Test func `a statement can be run again after an error`() throws {
        let database = try open()
        let insert = try database.statement("INSERT INTO t VALUES (?, ?)")
        try insert.run([1, "a"])
        let error = try sqliteError { try insert.run([1, "b"]) }
        #expect(error.code == .constraint)
        #expect(error.extendedCode == 1_555)
        #expect(!error.isRetriable)
        #expect(throws: TestFailure.self) {
            _ = try database.rows("SELECT name FROM t") { _ in throw TestFailure() }
        }
        try insert.run([2, "c"])
        #expect(database.changes == 1)
        #expect(database.lastInsertedRowID == 2)
        #expect(try names(database) == ["a", "c"])
    }

    @Test func `more statements than fit in the cache still work`() throws {
        let database = try Database.inMemory()
        for number in 0..<1_000 {
            #expect(try database.firstRow("SELECT \(number)") { row in try row.integer(0) } == Int64(number))
        }
    }

    @Test func `a closed database throws an error`() throws {
        let database = try open()
        let held = try database.statement("SELECT 1")
        database.close()
        database.close()
        #expect(try sqliteError { try held.run() }.code == .closed)
        #expect(try sqliteError { try database.run("SELECT 1") }.code == .closed)
        #expect(try sqliteError { try database.executeScript("SELECT 1") }.code == .closed)
        #expect(throws: SQLiteError.self) { try database.transaction {} }
        #expect(!database.isInTransaction)
    }

    // MARK: Transactions

    @Test func `a transaction that throws leaves no changes`() throws {
        let database = try open()
        #expect(throws: TestFailure.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES (1, 'a')")
                throw TestFailure()
            }
        }
        #expect(!database.isInTransaction)
        #expect(try names(database) == [])
        #expect(try database.transaction { try names(database) } == [])
    }

    @Test func `a nested transaction is refused, and the outer one continues`() throws {
        let database = try open()
        try database.transaction {
            try database.run("INSERT INTO t VALUES (1, 'a')")
            let error = try sqliteError { try database.transaction {} }
            #expect(error.code == .misuse)
        }
        #expect(try names(database) == ["a"])
    }

    @Test func `a snapshot sees one state of the database, regardless of later writes`() throws {
        let database = try open()
        try database.run("INSERT INTO t VALUES (1, 'a')")
        let reader = try Database(path: directory.database, access: .reader)
        try reader.snapshot {
            #expect(try names(reader) == ["a"])
            try database.run("INSERT INTO t VALUES (2, 'b')")
            #expect(try names(reader) == ["a"])
            #expect(try sqliteError { try reader.snapshot {} }.code == .misuse)
        }
        #expect(!reader.isInTransaction)
        #expect(try names(reader) == ["a", "b"])
    }

    @Test func `a snapshot ends when its body throws`() throws {
        let reader = try { () throws in
            try open().close()
            return try Database(path: directory.database, access: .reader)
        }()
        #expect(throws: TestFailure.self) { try reader.snapshot { throw TestFailure() } }
        #expect(!reader.isInTransaction)
    }

    @Test func `a statement retains none of its bound values`() throws {
        let database = try open()
        let statement = try database.statement("SELECT ?, ?")
        for text in ["", "short", String(repeating: "long", count: 100)] {
            let blob = Array(text.utf8)
            let read = try statement.firstRow([.text(text), .blob(blob)]) { (try $0.text(0), try $0.blob(1)) }
            #expect(read?.0 == text)
            #expect(read?.1 == blob)
        }
    }

    @Test func `a lock of another connection is reported as busy`() throws {
        let database = try open()
        database.close()
        // Two writers can conflict only if one bypasses this library's lock.
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/other", withDestinationPath: directory.database)
        let first = try Database(path: directory.database, busyTimeout: .zero)
        let second = try Database(path: directory.path + "/other", busyTimeout: .milliseconds(1))
        try first.transaction {
            let error = try sqliteError { try second.transaction {} }
            #expect(error.isBusy)
            #expect(error.isRetriable)
        }
        try second.transaction {}
    }

    @Test func `a full disk rolls back and is reported, and writes succeed once there is space`() throws {
        let database = try open()
        try database.run("INSERT INTO t VALUES (0, 'before')")
        try database.executeScript("PRAGMA max_page_count = 10")
        let big = SQLiteValue.text(String(repeating: "x", count: 10_000))
        let error = try sqliteError {
            try database.transaction {
                for number in 1..<100 { try database.run("INSERT INTO t VALUES (?, ?)", [.integer(number), big]) }
            }
        }
        #expect(error.isFull)
        #expect(error.isRetriable)
        #expect(!database.isInTransaction)
        #expect(try names(database) == ["before"])
        #expect(try database.quickCheck() == [])
        try database.executeScript("PRAGMA max_page_count = 100000")
        try database.transaction { try database.run("INSERT INTO t VALUES (1, ?)", [big]) }
        #expect(try names(database).count == 2)
    }

    // MARK: Schema

    @Test func `migrations run once each, in order`() throws {
        let database = try Database.inMemory()
        let first = [Migration("CREATE TABLE a (x); INSERT INTO a VALUES (1)")]
        let second = first + [Migration("ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1")]
        try database.migrate(first)
        try database.migrate(first)
        #expect(try database.userVersion() == 1)
        try database.migrate(second)
        #expect(try database.userVersion() == 2)
        #expect(
            try database.rows("SELECT x, y FROM a") { row in [try row.integer(0), try row.integer(1)] } == [[1, 2]])
    }

    @Test func `a failed migration keeps the previous version`() throws {
        let database = try Database.inMemory()
        #expect(throws: SQLiteError.self) {
            try database.migrate([Migration("CREATE TABLE a (x)"), Migration("CREATE TABLE b (x); NONSENSE")])
        }
        #expect(try database.userVersion() == 1)
        #expect(try database.rows("SELECT name FROM sqlite_schema") { row in try row.text(0) } == ["a"])
    }

    @Test func `a newer schema is refused`() throws {
        let database = try Database.inMemory()
        try database.executeScript("PRAGMA user_version = 3")
        #expect(try sqliteError { try database.migrate([Migration("SELECT 1")]) }.code == .newerSchema)
    }
}

import ArchiveKeys
import SQLite
import Testing

/// The key store's record of the checkpoints that this host signed.
struct SignedHeadRowTests {
    private static let origin = "example.com/archive/appstore.certificates/3"

    @Test func `the signed head of each log is restored after a restart`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        #expect(try store.signedHead(of: Self.origin) == nil)
        let first = SignedHeadRow(published: nil, signed: [1, 2])
        try store.setSignedHead(first, of: Self.origin)
        #expect(try store.signedHead(of: Self.origin) == first)
        let second = SignedHeadRow(published: [1, 2], signed: nil)
        try store.setSignedHead(second, of: Self.origin)
        try store.setSignedHead(first, of: "\(Self.origin)1")
        store.close()
        let again = try disk.open(creation: .never)
        #expect(try again.signedHead(of: Self.origin) == second)
        #expect(try again.signedHead(of: "\(Self.origin)1") == first)
    }

    @Test func `a key store of an earlier version is migrated`() throws {
        let disk = try StoreOnDisk()
        try disk.open().close()
        let database = try Database(path: disk.path, access: .sharedWriter)
        try database.executeScript("DROP TABLE signed_heads; PRAGMA user_version = 2")
        database.close()
        let store = try disk.open(creation: .never)
        try store.setSignedHead(SignedHeadRow(published: [7], signed: nil), of: Self.origin)
        #expect(try store.signedHead(of: Self.origin)?.published == [7])
    }
}

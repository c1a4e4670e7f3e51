import AppStoreModel
import Foundation
import JSON
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl archive key backup`, and `key check` against the leaves of an archive.
struct ArchiveKeyUseTests {
    private func flags(_ archive: TestArchive, keyStore: String = "keys.sqlite") -> [String] {
        [
            "--archive.key.store", archive.directory.file(keyStore), "--archive.key.encryption.key.file",
            archive.directory.file("kek"),
        ]
    }

    @Test func `a backup has the key of every earlier leaf, and the check lists those of later ones`() async throws {
        let archive = try TestArchive()
        let place = ["--archive.url", archive.directory.file("archive"), "--against-archive", "--output", "json"]
        try await archive.write([archive.legacy(.didRenew, "1")])
        let backup = archive.directory.file("backup.sqlite")
        let (made, _) = await sluicectl(["archive", "key", "backup", backup] + flags(archive))
        #expect(made == 0)
        let check = ["archive", "key", "check"] + flags(archive, keyStore: "backup.sqlite") + place
        let (before, complete) = await sluicectl(check)
        #expect(before == 0, "\(complete.complaints)")
        #expect(try complete.objects.first?["missing"]?.integer == 0)

        try await archive.write([archive.legacy(.didRenew, "2")])
        let (after, printed) = await sluicectl(check)
        #expect(after == 1)
        #expect(try printed.objects.first?["missing"]?.integer == 1)
        #expect(try printed.objects.first?["leaves"]?.integer == 2)
        #expect(printed.complaints.contains { $0.contains("appstore.notifications.production/0, leaf 1") })
        #expect(await sluicectl(["archive", "key", "check"] + flags(archive) + place).exitCode == 0)

        let (again, refused) = await sluicectl(["archive", "key", "backup", backup] + flags(archive))
        #expect(again != 0)
        #expect(refused.complaints.contains { $0.contains("specify a different file") })
    }

    @Test func `a leaf that cannot be read is a problem, because its key is unknown`() async throws {
        let archive = try TestArchive()
        try await archive.write([archive.legacy(.didRenew, "1"), archive.legacy(.didRenew, "2")])
        let name = "\(archive.production)/0/tile/entries/000.p/2"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: archive.directory.file("archive/\(name)"))))
        // An entry begins with its length in two bytes, its version and its kind.
        bytes[3] = 0xFF
        try FileManager.default.removeItem(atPath: archive.directory.file("archive/\(name)"))
        _ = try archive.directory.write(bytes, to: "archive/\(name)")
        let (code, printed) = await sluicectl(
            ["archive", "key", "check", "--against-archive", "--output", "json", "--archive.url"]
                + [archive.directory.file("archive")] + flags(archive))
        #expect(code == 1)
        #expect(try printed.objects.first?["ok"]?.bool == false)
        #expect(try printed.objects.first?["leaves"]?.integer == 1)
        #expect(
            printed.complaints == [
                "the keys of 1 unreadable leaves are unknown; the first: \(archive.production)/0, leaf 0"
            ])
    }
}

import ArchiveLog
import Cryptography
import Foundation
import TestSupport
import Testing
import TransparencyLog

/// A modification of an archive's files, and the expected exit code of `sluicectl archive verify`: 0 intact, 2
/// tampered, 3 incomplete or unanchored, 4 rolled back or forked, 5 key unknown, 6 unreadable. The numbers refer to the
/// review of the archive.
struct ArchiveTampering: Sendable, CustomTestStringConvertible {
    typealias Files = ArchiveTamperingFiles

    let testDescription: String
    /// Exit code with only the public key.
    let alone: Int32
    /// Exit code with the checkpoints of the second store as well.
    let anchored: Int32
    /// Exit code with only the public key, if the archive has a checkpoint log.
    let logged: Int32
    let change: @Sendable (Files) throws -> Void

    init(
        _ name: String, _ alone: Int32, _ anchored: Int32, logged: Int32? = nil,
        _ change: @escaping @Sendable (Files) throws -> Void
    ) {
        testDescription = name
        // The checkpoint log detects the same as an anchor: a single log that is missing or was rolled back.
        self.logged = logged ?? (alone == 0 && anchored == 4 ? 4 : alone)
        (self.alone, self.anchored, self.change) = (alone, anchored, change)
    }

    private static let log = Files.log
    private static let other = Files.other
    private static let anchor = Files.anchor

    static let all = segments + trees + checkpoints + logs + anchors

    private static let segments = [
        ArchiveTampering("t00 nothing", 0, 0) { _ in },
        ArchiveTampering("t01 a byte in a full segment", 2, 2) { try $0.flip("\(log)/segments/000") },
        ArchiveTampering("t02 a byte in a partial segment", 2, 2) { try $0.flip("\(log)/segments/001.p/199") },
        ArchiveTampering("t03 a segment cut by a byte", 2, 2) {
            try $0.edit("\(log)/segments/000") { $0.removeLast() }
        },
        ArchiveTampering("t04 a segment extended by a byte", 2, 2) {
            try $0.edit("\(log)/segments/000") { $0.append(7) }
        },
        ArchiveTampering("t05 a segment extended by an empty object", 2, 2) {
            try $0.edit("\(log)/segments/000") { $0 += [0, 0, 0, 0] }
        },
        ArchiveTampering("t06 a full segment removed", 2, 2) { try $0.remove("\(log)/segments/000") },
        ArchiveTampering("t07 segments of two logs exchanged", 2, 2) {
            try $0.exchange("\(log)/segments/000", "\(other)/segments/000")
        },
        ArchiveTampering("t28 a symbolic link in place of a segment", 2, 2) {
            try $0.move("\(log)/segments/000", to: "elsewhere")
            try FileManager.default.createSymbolicLink(
                atPath: $0.directory.file("\(log)/segments/000"), withDestinationPath: $0.directory.file("elsewhere"))
        },
        ArchiveTampering("t29 a folder in place of a segment", 2, 2) {
            try $0.remove("\(log)/segments/000")
            try FileManager.default.createDirectory(
                atPath: $0.directory.file("\(log)/segments/000"), withIntermediateDirectories: false)
        },
        ArchiveTampering("t31 a forged retention and a segment removed", 2, 2) {
            try $0.remove("\(log)/segments/000")
            let forger = try CheckpointSigner(
                archive: ArchiveTamperingImage.origin, keys: [PrivateKey.generate(.ed25519)])
            let origin = "\(ArchiveTamperingImage.origin)/\(ArchiveTamperingImage.notifications)/0"
            try $0.write(try forger.sign(Retention(origin: origin, minimum: 256)).bytes, to: "\(log)/retention")
        },
        ArchiveTampering("t32 a retention that is rubbish", 2, 2) { try $0.write([1, 2, 3], to: "\(log)/retention") },
        ArchiveTampering("t48 all segments removed", 2, 2) { try $0.remove("\(log)/segments") },
        ArchiveTampering("t54 a folder in other case", 2, 2) {
            try $0.move("\(log)/segments", to: "\(log)/Segments")
        },
        ArchiveTampering("t55 a stray segment beyond the checkpoint", 0, 0) {
            try $0.copy("\(log)/segments/000", to: "\(log)/segments/007")
        },
        ArchiveTampering("t56 a stray partial segment", 0, 0) {
            try $0.copy("\(log)/segments/001.p/199", to: "\(log)/segments/000.p/199")
        },
        ArchiveTampering("t57 a sparse segment of 2 GiB", 2, 2) {
            try $0.write([], to: "\(log)/segments/000")
            truncate($0.directory.file("\(log)/segments/000"), 2 << 30)
        },
    ]

    private static let trees = [
        ArchiveTampering("t09 a byte in entries", 2, 2) { try $0.flip("\(log)/tile/entries/000") },
        ArchiveTampering("t10 a byte in a tile of level 0", 2, 2) { try $0.flip("\(log)/tile/0/000") },
        ArchiveTampering("t11 a byte in a tile of level 1", 2, 2) { try $0.flip("\(log)/tile/1/000.p/1") },
        ArchiveTampering("t12 a tile of level 1 removed", 2, 2) { try $0.remove("\(log)/tile/1/000.p/1") },
        ArchiveTampering("t13 an old partial bundle changed", 2, 2) { try $0.flip("\(log)/tile/entries/001.p/197") },
        ArchiveTampering("t14 an old partial tile removed", 2, 2) { try $0.remove("\(log)/tile/0/001.p/197") },
        ArchiveTampering("t30 a pipe in place of a bundle", 2, 2) {
            try $0.remove("\(log)/tile/entries/000")
            mkfifo($0.directory.file("\(log)/tile/entries/000"), 0o600)
        },
        ArchiveTampering("t35 rubbish beyond the checkpoint", 0, 0) {
            try $0.write([1, 2, 3], to: "\(log)/tile/entries/002.p/17")
            try $0.write([1, 2, 3], to: "\(log)/tile/0/002.p/17")
        },
        ArchiveTampering("t37 a wrong partial of a full bundle, of a size that was never signed", 0, 0) {
            try $0.write([1, 2, 3], to: "\(log)/tile/entries/000.p/17")
        },
        ArchiveTampering("t37b a wrong partial of a full bundle, of a size that was signed", 2, 2) {
            try $0.write([1, 2, 3], to: "\(other)/tile/entries/000.p/100")
        },
        ArchiveTampering("t39 old files under the new checkpoint", 2, 2) {
            try $0.copy("\(log)/checkpoint", to: "newest")
            try $0.rollBack()
            try $0.copy("newest", to: "\(log)/checkpoint")
        },
    ]

    private static let checkpoints = [
        ArchiveTampering("t15 a past copy removed", 2, 2) { try $0.remove("\(log)/checkpoints/275") },
        ArchiveTampering("t16 the newest copy removed", 0, 0) { try $0.remove("\(log)/checkpoints/455") },
        ArchiveTampering("t17 all copies removed", 2, 2) { try $0.remove("\(log)/checkpoints") },
        ArchiveTampering("t18 checkpoint replaced by the one before", 4, 4) {
            try $0.copy("\(log)/checkpoints/453", to: "\(log)/checkpoint")
        },
        ArchiveTampering("t19 checkpoint removed", 2, 2) { try $0.remove("\(log)/checkpoint") },
        ArchiveTampering("t20 only the Ed25519 line left", 2, 2) {
            try $0.edit(text: "\(log)/checkpoint") { $0.removeSubrange(5..<7) }
        },
        ArchiveTampering("t21 a line by an unknown key added", 0, 0) {
            let key = try PrivateKey.generate(.ed25519)
            try $0.edit("\(log)/checkpoint") { bytes in
                guard var note = try? SignedNote(bytes: bytes),
                    let signer = try? NoteSigner(name: "w.example/1", key: key)
                else { return }
                try? note.sign(with: signer)
                bytes = note.bytes
            }
        },
        ArchiveTampering("t34 checkpoints of two logs exchanged", 2, 2) {
            try $0.exchange("\(log)/checkpoint", "\(other)/checkpoint")
        },
        ArchiveTampering("t36 a forged later copy", 2, 2) {
            try $0.copy("\(log)/checkpoint", to: "\(log)/checkpoints/500")
            try $0.edit(text: "\(log)/checkpoints/500") { $0[1] = "500" }
        },
        ArchiveTampering("t41 checkpoint replaced by the first one", 4, 4) {
            try $0.copy("\(log)/checkpoints/256", to: "\(log)/checkpoint")
        },
        ArchiveTampering("t43 checkpoint emptied", 2, 2) { try $0.write([], to: "\(log)/checkpoint") },
        ArchiveTampering("t44 checkpoint with CRLF", 2, 2) {
            try $0.edit(text: "\(log)/checkpoint") { $0 = [$0.joined(separator: "\r\n")] }
        },
        ArchiveTampering("t45 checkpoint of another size", 2, 2) {
            try $0.edit(text: "\(log)/checkpoint") { $0[1] = "454" }
        },
        ArchiveTampering("t46 spare bits in the base64 of the root", 2, 2) {
            try $0.edit(text: "\(log)/checkpoint") { lines in
                // 32 bytes end in two characters and a padding character. Two bits of the last character are unused.
                let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
                var root = Array(lines[2])
                if let index = alphabet.firstIndex(of: root[42]) { root[42] = alphabet[index | 1] }
                lines[2] = String(root)
            }
        },
        ArchiveTampering("t47 the copy of the same size in place of the checkpoint", 0, 0) {
            try $0.copy("\(log)/checkpoints/455", to: "\(log)/checkpoint")
        },
        ArchiveTampering("t51 the checkpoint of an empty log removed", 0, 0) {
            try $0.remove("archive/appstore.quarantine/0/checkpoint")
        },
    ]

    private static let logs = [
        ArchiveTampering("t08 two logs exchanged whole", 2, 2) { try $0.exchange(log, other) },
        ArchiveTampering("t23 all files of an earlier moment", 0, 4, logged: 0) {
            try $0.copy("earlier", to: "archive")
        },
        ArchiveTampering("t22, t24 one log of an earlier moment, without a trace of two leaves", 0, 4) {
            try $0.rollBack()
        },
        ArchiveTampering("t25 a log removed", 0, 4) { try $0.remove(log) },
        ArchiveTampering("t26 a log renamed", 0, 4) {
            try $0.move(log, to: "archive/\(ArchiveTamperingImage.notifications)/x0")
        },
        ArchiveTampering("t27 a topic removed", 0, 4) {
            try $0.remove("archive/\(ArchiveTamperingImage.notifications)")
        },
        ArchiveTampering("t38 a log under another number", 2, 2) {
            try $0.copy(log, to: "archive/\(ArchiveTamperingImage.notifications)/7")
        },
        ArchiveTampering("t40 two leaves taken back by two files, their tiles left", 0, 4) {
            try $0.copy("\(log)/checkpoints/453", to: "\(log)/checkpoint")
            try $0.remove("\(log)/checkpoints/455")
            try $0.copy("earlier/\(ArchiveTamperingImage.notifications)/0/segments", to: "\(log)/segments")
        },
        ArchiveTampering("t49 the certificates removed", 0, 4) { try $0.remove("archive/appstore.certificates") },
        ArchiveTampering("t50 the archive emptied", 6, 4) { try $0.empty("archive") },
        ArchiveTampering("t52 all files of a log removed, its folder left", 0, 4) { try $0.empty(log) },
    ]

    private static let anchors = [
        ArchiveTampering("u01 rolled back; the anchor's head too, its copies not", 0, 4) {
            try $0.rollBack()
            try $0.copy("\(anchor)/checkpoints/453", to: "\(anchor)/checkpoint")
        },
        ArchiveTampering("u02 rolled back; everything of this log removed in the anchor", 0, 3, logged: 4) {
            try $0.rollBack()
            try $0.remove(anchor)
        },
        ArchiveTampering("u03 rolled back; the anchor's head of this log removed", 0, 4) {
            try $0.rollBack()
            try $0.remove("\(anchor)/checkpoint")
        },
        ArchiveTampering("u04 a note of this log by an unknown key in the anchor", 0, 0) {
            let log = "\(ArchiveTamperingImage.notifications)/0"
            let forged = try $0.checkpoint(log, leaves: 999, by: PrivateKey.generate(.ed25519))
            try $0.write(forged, to: "\(anchor)/checkpoints/999")
        },
        ArchiveTampering("u05 bytes that are no note in the anchor", 0, 0) {
            try $0.write([1, 2, 3], to: "\(anchor)/checkpoints/999")
        },
        ArchiveTampering("u06 only checkpoints of another archive in the anchor", 0, 3) {
            try $0.empty("anchor")
            let note = try $0.checkpoint("appstore.retired/3", archive: "example.com/old", by: .generate(.ed25519))
            try $0.write(note, to: "anchor/appstore.retired/3/checkpoint")
        },
        ArchiveTampering("u07 a checkpoint of another archive in the anchor", 0, 0) {
            let note = try $0.checkpoint("appstore.retired/3", archive: "example.com/old", by: .generate(.ed25519))
            try $0.write(note, to: "anchor/appstore.retired/3/checkpoint")
        },
    ]
}

@Suite("Tampering with an archive in a directory, seen by sluicectl", .timeLimit(.minutes(5)))
struct ArchiveTamperingTests {
    @Test(arguments: ArchiveTampering.all)
    func `each change has the expected exit code, with only the key and with anchors`(_ tampering: ArchiveTampering)
        async throws
    {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        try tampering.change(files)
        let alone = await files.verify(anchored: false)
        #expect(alone.code == tampering.alone, "\(alone.output)")
        let anchored = await files.verify(anchored: true)
        #expect(anchored.code == tampering.anchored, "\(anchored.output)")
    }

    @Test(arguments: ArchiveTampering.all)
    func `with a checkpoint log the key alone reveals the rollback of a single log`(_ tampering: ArchiveTampering)
        async throws
    {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        try files.copy("logged/checkpoint-log", to: "archive/checkpoint-log")
        try tampering.change(files)
        let (code, output) = await files.verify(anchored: false)
        #expect(code == tampering.logged, "\(output)")
    }

    @Test func `the newest checkpoint of the checkpoint log anchors every log`() async throws {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        try files.copy("logged/checkpoint-log", to: "archive/checkpoint-log")
        try files.empty("anchor")
        try files.copy("logged/checkpoint-log/checkpoint", to: "anchor/checkpoint-log/checkpoint")
        let (code, output) = await files.verify(["--output", "json"], anchored: true)
        #expect(code == 0 && output.contains("\"anchored\":true"), "\(output)")
        try files.remove("archive/checkpoint-log")
        #expect(await files.verify(anchored: true).code == 4)
    }

    @Test func `leaves beyond the checkpoint are counted if a log was rolled back by changing two files`() async throws
    {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        try files.copy("\(ArchiveTamperingFiles.log)/checkpoints/453", to: "\(ArchiveTamperingFiles.log)/checkpoint")
        try files.remove("\(ArchiveTamperingFiles.log)/checkpoints/455")
        try files.copy(
            "earlier/\(ArchiveTamperingImage.notifications)/0/segments", to: "\(ArchiveTamperingFiles.log)/segments")
        let (code, output) = await files.verify(anchored: false)
        #expect(code == 0)
        #expect(
            output.contains("\(ArchiveTamperingImage.notifications)/0: 2 leaves beyond the checkpoint"), "\(output)")
    }

    @Test func `u07b a checkpoint of another archive signed by a given key is reported and not compared`() async throws
    {
        let image = try await ArchiveTamperingImage.shared.value
        let files = try image.copy()
        let key = try PrivateKey.generate(.ed25519)
        let note = try files.checkpoint("appstore.retired/3", archive: "example.com/old", by: key)
        try files.write(note, to: "anchor/appstore.retired/3/checkpoint")
        let old = try CheckpointSigner(archive: "example.com/old", keys: [key]).verifiers().text
        let both = try files.directory.write(try image.signer.verifiers().text + old, to: "both.pub")
        let (code, output) = await files.verify(anchored: true, key: both)
        #expect(code == 0, "\(output)")
        #expect(output.contains("checkpoints of another archive, not compared: example.com/old/appstore.retired/3"))
    }

    @Test func `a requested log that is missing has exit code 6, and 4 if it was anchored`() async throws {
        let log = "\(ArchiveTamperingImage.notifications)/0"
        let image = try await ArchiveTamperingImage.shared.value
        // u11: only the directory of the log is left.
        let empty = try image.copy()
        try empty.empty(ArchiveTamperingFiles.log)
        #expect(await empty.verify([log], anchored: true).code == 4)
        // u12, u12b: the log was removed.
        let gone = try image.copy()
        try gone.remove(ArchiveTamperingFiles.log)
        for asked in [[log], [log, "appstore.certificates"]] {
            #expect(await gone.verify(asked, anchored: false).code == 6)
            #expect(await gone.verify(asked, anchored: true).code == 4)
        }
        #expect(await gone.verify([ArchiveTamperingImage.notifications], anchored: true).code == 4)
        // A log that was not requested is not reported as missing.
        #expect(await gone.verify(["appstore.certificates"], anchored: true).code == 0)
    }

    @Test func `u08 anchors of another log do not anchor the requested one`() async throws {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        try files.remove(ArchiveTamperingFiles.anchor)
        let asked = ["\(ArchiveTamperingImage.notifications)/0"]
        let (code, output) = await files.verify(asked + ["--output", "json"], anchored: true)
        #expect(code == 3)
        #expect(output.contains("\"anchored\":false") && output.contains("\"verdict\":\"unanchored\""), "\(output)")
    }

    @Test(arguments: [("tile/entries/000", 0), ("tile/0/000", 0), ("tile/1/000.p/1", 300)])
    func `no invalid proof is written`(_ object: String, offset: Int) async throws {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        let place = "\(ArchiveTamperingImage.notifications)/0@\(offset)"
        let file = "a.tlog-proof"
        let flags = ["--archive.url", files.directory.file("archive"), "--output-file", files.directory.file(file)]
        #expect(await sluicectl(["archive", "prove", place, "--key", files.image.key] + flags).exitCode == 0)
        try files.remove(file)
        try files.edit("\(ArchiveTamperingFiles.log)/\(object)") { bytes in
            // Changes the last byte of the first entry (part of a digest), or a byte of a hash in the path.
            let isBundle = object.contains("entries")
            bytes[isBundle ? 1 + Int(bytes[0]) << 8 + Int(bytes[1]) : bytes.count > 32 ? 40 : 20] ^= 1
        }
        for key in [["--key", files.image.key], []] {
            let (code, printed) = await sluicectl(["archive", "prove", place] + key + flags)
            #expect(code == 2)
            #expect(printed.complaints.joined().contains("does not prove this record"), "\(printed.complaints)")
            #expect(!FileManager.default.fileExists(atPath: files.directory.file(file)))
        }
    }

    @Test func `a saved verification is continued by the next one`() async throws {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        let state = files.directory.file("verified")
        let flags = ["--resume-from", state, "--save", state]
        let first = await files.verify(flags, anchored: false)
        #expect(first.code == 0 && !first.output.contains("verified by an earlier run"), "\(first.output)")
        let saved = try files.bytes("verified")
        let second = await files.verify(flags, anchored: true)
        // The first bundle of both logs was skipped.
        #expect(second.code == 0 && second.output.contains("512 leaves were verified by an"), "\(second.output)")
        #expect(try files.bytes("verified") == saved)
        try files.rollBack()
        #expect(await files.verify(flags, anchored: false).code == 4)
        // Only the checkpoints of an intact archive are saved.
        #expect(try files.bytes("verified") == saved)
        let unsigned = ["archive", "verify", "--archive.url", files.directory.file("archive"), "--unsigned"] + flags
        #expect(await sluicectl(unsigned).exitCode == 64)
        try files.write([1, 2, 3], to: "verified")
        #expect(await files.verify(flags, anchored: false).code == 6)
    }

    @Test(arguments: [["--tree-only"], ["--from", "2026-11-01T00:00:00Z"]])
    func `the continuation of a verification without all payloads reports that they were not compared`(
        _ limit: [String]
    ) async throws {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        let state = files.directory.file("verified")
        let flags = ["--resume-from", state, "--save", state]
        let gap = "512 leaves were verified by an earlier run (--resume-from), which did not compare all of"
        #expect(await files.verify(limit + ["--save", state], anchored: false).code == 0)
        // The second continuation does not compare the older payloads either.
        for _ in 0..<2 {
            let (code, output) = await files.verify(flags, anchored: false)
            #expect(code == 0 && output.contains(gap), "\(output)")
        }
        let (code, json) = await files.verify(flags + ["--output", "json"], anchored: false)
        #expect(code == 0 && json.contains("\"payloadsComparedBefore\":false"), "\(json)")
        // A complete verification closes the gap.
        #expect(await files.verify(["--save", state], anchored: false).code == 0)
        let complete = await files.verify(flags, anchored: false)
        #expect(complete.code == 0 && !complete.output.contains("did not compare"), "\(complete.output)")
        let after = await files.verify(flags + ["--output", "json"], anchored: false)
        #expect(after.code == 0 && after.output.contains("\"payloadsComparedBefore\":true"), "\(after.output)")
    }

    @Test func `a record is proved under a cosigned checkpoint to anyone who trusts the witnesses`() async throws {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        try files.copy("logged/checkpoint-log", to: "archive/checkpoint-log")
        let witness = try NoteSigner(
            name: "witness.example/w1", type: .cosignature, key: PrivateKey.generate(.ed25519))
        let other = try NoteSigner(name: "witness.example/w2", type: .cosignature, key: PrivateKey.generate(.ed25519))
        var note = try SignedNote(bytes: files.bytes("archive/checkpoint-log/checkpoint"))
        try note.sign(with: witness, 1_800_000_200)
        let name = try LogNames.checkpointLog().cosigned(by: witness.verifier)
        try files.write(note.bytes, to: "archive/\(name)")
        let (key, file) = (["--key", files.image.key], files.directory.file("a.tlog-proof"))
        func check(_ flags: [String]) async -> Int32 {
            await sluicectl(["archive", "prove", "--check", file] + key + flags).exitCode
        }
        let believed = ["--witness", witness.verifier.text]
        let place = ["archive", "prove", "\(ArchiveTamperingImage.notifications)/0@300"]
        let written = await sluicectl(
            place + ["--archive.url", files.directory.file("archive"), "--output-file", file] + key + believed)
        #expect(written.exitCode == 0, "\(written.printed.complaints)")
        #expect(await check([]) == 0)
        #expect(await check(believed) == 0)
        #expect(await check(["--witness", other.verifier.text]) == 5)
        let both = ["--witness", "\(witness.verifier.text),\(other.verifier.text)"]
        #expect(await check(both) == 5)
        #expect(await check(both + ["--quorum", "1"]) == 0)
        #expect(await check(both + ["--quorum", "3"]) == 5)
        #expect(
            await check(["--witness", try NoteVerifier(text: files.image.signer.verifiers().verifiers[0].text).text])
                == 5)
        let outer = try files.bytes("a.tlog-proof.checkpoint")
        try files.edit(text: "a.tlog-proof.checkpoint") { lines in
            // The format, the checkpoint and the index precede the first hash of the path.
            lines[3] = (lines[3].hasPrefix("A") ? "B" : "A") + lines[3].dropFirst()
        }
        #expect(await check(believed) == 2)
        try files.remove("a.tlog-proof.checkpoint")
        #expect(await check(believed) == 5)
        try files.write(outer, to: "a.tlog-proof.checkpoint")
        // The archive itself satisfies the policy, too.
        #expect(await files.verify(believed, anchored: false).code == 0)
        #expect(await files.verify(both, anchored: false).code == 3)
    }

    @Test func `a policy file provides the archive's key and the witnesses that must have cosigned`() async throws {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        try files.copy("logged/checkpoint-log", to: "archive/checkpoint-log")
        let signers = try ["w1", "w2", "w3"].map {
            try NoteSigner(name: "witness.example/\($0)", type: .cosignature, key: PrivateKey.generate(.ed25519))
        }
        for signer in signers.prefix(2) {
            var note = try SignedNote(bytes: files.bytes("archive/checkpoint-log/checkpoint"))
            try note.sign(with: signer, 1_800_000_200)
            try files.write(note.bytes, to: "archive/\(LogNames.checkpointLog().cosigned(by: signer.verifier))")
        }
        let own = try files.image.signer.verifiers().verifiers[0]
        let log = try own.with(name: "\(own.name)/checkpoint-log").text
        let witnesses = signers.enumerated().map { "witness w\($0 + 1) \($1.verifier.text)\n" }.joined()
        func policy(_ lines: String) throws -> [String] {
            ["--policy", try files.directory.write(lines, to: "policy")]
        }
        func verify(_ lines: String, _ further: [String] = []) async throws -> Int32 {
            let given = try policy(lines) + further
            return await sluicectl(
                ["archive", "verify", "--archive.url", files.directory.file("archive")] + given
            ).exitCode
        }
        let (key, knows) = (["--key", files.image.key], "log \(log)\n" + witnesses)
        #expect(try await verify(knows + "group g 2 w1 w2 w3\nquorum g\n") == 0, "without --key")
        #expect(try await verify(knows + "group g all w1 w3\nquorum g\n") == 3)
        #expect(try await verify(knows + "quorum none\n") == 0)
        #expect(try await verify(witnesses + "quorum w1\n") == 5, "no key is given anywhere")
        #expect(try await verify(witnesses + "quorum w1\n", key) == 0)
        let forged = try NoteSigner(name: "\(own.name)/checkpoint-log", key: PrivateKey.generate(.ed25519)).verifier
            .text
        #expect(try await verify("log \(forged)\n" + witnesses + "quorum w1\n", key) == 5, "another archive's log")
        #expect(try await verify("log \(forged)\n" + witnesses + "quorum w1\n") == 5, "signed by another key")
        #expect(try await verify(witnesses + "quorum w9\n", key) == 5, "no policy")
        #expect(try await verify(knows + "quorum w1\n", ["--witness", signers[0].verifier.text]) == 64)
        let itself = try own.with(type: .cosignature).text
        #expect(try await verify("witness me \(itself)\nquorum me\n", key) == 5, "the archive is no witness")
        // The recipient checks a proof.
        let file = files.directory.file("a.tlog-proof")
        let place = ["archive", "prove", "\(ArchiveTamperingImage.notifications)/0@300"]
        let archive = ["--archive.url", files.directory.file("archive"), "--output-file", file]
        #expect(await sluicectl(place + archive + key).exitCode == 0)
        let check = ["archive", "prove", "--check", file]
        #expect(try await sluicectl(check + policy(knows + "group g all w1 w2\nquorum g\n")).exitCode == 0)
        #expect(try await sluicectl(check + policy(knows + "quorum w3\n")).exitCode == 5)
    }

    @Test func `v01 a changed bit in each signature has exit code 2, and verifying without a key has exit code 5`()
        async throws
    {
        let files = try await ArchiveTamperingImage.shared.value.copy()
        try files.edit(text: "\(ArchiveTamperingFiles.log)/checkpoint") { lines in
            for index in 4..<7 {
                var characters = Array(lines[index])
                characters[characters.count - 20] = characters[characters.count - 20] == "A" ? "B" : "A"
                lines[index] = String(characters)
            }
        }
        #expect(await files.verify(anchored: false).code == 2)
        let place = ["archive", "verify", "--archive.url", files.directory.file("archive")]
        let (code, printed) = await sluicectl(place)
        #expect(code == 5)
        #expect(printed.complaints.joined().contains("--unsigned"))
        let unsigned = await sluicectl(place + ["--unsigned"])
        #expect(unsigned.exitCode == 0)
        #expect(unsigned.printed.output.contains("signatures were not checked"))
        #expect(!unsigned.printed.output.hasSuffix("\nsound\n"))
        #expect(await files.verify(["--unsigned"], anchored: false).code == 64)
    }
}

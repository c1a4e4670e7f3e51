import ArchiveLog
import Configuration
import Cryptography
import HTTPClient
import ObjectStorage
import Testing
import TransparencyLog

@testable import Archive

@Suite(.timeLimit(.minutes(5)))
struct WitnessAnchorTests {
    private let key: PrivateKey
    private let archive: AnchoredArchive
    private let server: WitnessServer

    init() throws {
        key = try PrivateKey.generate(.ed25519)
        archive = try AnchoredArchive(key: key)
        let keys = try archive.signer.verifiers().keys(of: AnchoredArchive.logOrigin).filter { $0.type == .ed25519 }
        server = try WitnessServer(origins: [AnchoredArchive.logOrigin: keys])
    }

    private func anchor(_ archive: AnchoredArchive? = nil, key: NoteVerifier? = nil) -> WitnessAnchor {
        let client = HTTPClient()
        return WitnessAnchor(
            Witness(name: "w1", verifier: key ?? server.verifier, url: server.url),
            archive: (archive ?? self.archive).store
        ) { request throws(HTTPClientError) in try await client.send(request) }
    }

    @Test func `each checkpoint is sent with a consistency proof and stored with the cosignature`() async throws {
        let anchor = anchor()
        for count in [1, 1, 255, 3, 600] {
            try await archive.grow(by: count)
            let log = try await archive.log()
            try await anchor.anchor(log)
            let kept = try #require(try await archive.store.read(try archive.names.cosigned(by: server.verifier)))
            let note = try SignedNote(bytes: kept.bytes)
            #expect(note.text == log.checkpoint.note.text)
            let signatures = try note.verified(by: [server.verifier])
            #expect(signatures.map(\.time) == [1_800_000_060])
            // The log's own signatures are kept, and unverified signatures by other keys of the witness are kept too.
            #expect(note.signatures.count == log.checkpoint.note.signatures.count + 2)
            #expect(note.signatures.allSatisfy { $0.name != "other.example" })
        }
        #expect(server.requests == ["old 0: 200", "old 1: 200", "old 2: 200", "old 257: 200", "old 260: 200"])
    }

    @Test func `after a restart the witness's size is queried`() async throws {
        try await archive.grow(by: 300)
        try await anchor().anchor(try await archive.log())
        try await archive.grow(by: 20)
        let second = anchor()
        try await second.anchor(try await archive.log())
        try await second.anchor(try await archive.log())
        #expect(server.requests == ["old 0: 200", "old 0: 409", "old 300: 200", "old 320: 200"])
    }

    @Test func `an archive that was rolled back is detected`() async throws {
        try await archive.grow(by: 300)
        try await anchor().anchor(try await archive.log())
        let older = try AnchoredArchive(key: key)
        try await older.grow(by: 299)
        let error = await anchorError { try await anchor(older).anchor(try await older.log()) }
        #expect(error?.code == .conflict)
        #expect(error?.message == "w1 has cosigned 300 leaves of appstore.notifications/2, but the archive has 299")
    }

    @Test(arguments: [300, 301])
    func `an archive with other leaves is detected`(_ size: Int) async throws {
        try await archive.grow(by: 300)
        try await anchor().anchor(try await archive.log())
        let forked = try AnchoredArchive(key: key, content: "other")
        try await forked.grow(by: size)
        let error = await anchorError { try await anchor(forked).anchor(try await forked.log()) }
        #expect(error?.code == .conflict)
        #expect(server.requests.last == (size == 300 ? "old 300: 409" : "old 300: 422"))
    }

    @Test func `the error for a witness without the log or its key names the fix`() async throws {
        let foreign = try AnchoredArchive(key: PrivateKey.generate(.ed25519))
        try await foreign.grow(by: 1)
        let unsigned = await anchorError { try await anchor(foreign).anchor(try await foreign.log()) }
        #expect(unsigned?.code == .refused)
        #expect(
            unsigned?.message
                == "w1 does not have the key of \(AnchoredArchive.logOrigin): send the archive's key to w1's operator")
        server.set(.status(404))
        let unknown = await anchorError { try await anchor(foreign).anchor(try await foreign.log()) }
        #expect(unknown?.code == .refused)
        #expect(
            unknown?.message
                == "w1 does not have the log \(AnchoredArchive.logOrigin): ask w1's operator to add the log")
    }

    @Test(arguments: [429, 500, 503])
    func `a witness that is temporarily unavailable is retried later`(_ status: Int) async throws {
        try await archive.grow(by: 1)
        server.set(.status(status))
        let anchor = anchor()
        #expect(await anchorError { try await anchor.anchor(try await archive.log()) }?.code == .unavailable)
        server.set(.none)
        try await anchor.anchor(try await archive.log())
    }

    @Test(arguments: ["", "\n", "— other AAAAAAAA\n", "no signature\n", "— witness.example/w1 AAAA", "— a b\n— c d\n"])
    func `a response other than a cosignature is rejected`(_ body: String) async throws {
        try await archive.grow(by: 1)
        server.set(.body(body))
        #expect(await anchorError { try await anchor().anchor(try await archive.log()) }?.code == .answer)
        #expect(try await archive.store.read(try archive.names.cosigned(by: server.verifier)) == nil)
    }

    @Test func `a cosignature by another key is rejected`() async throws {
        try await archive.grow(by: 1)
        server.set(.otherKey)
        let error = await anchorError { try await anchor().anchor(try await archive.log()) }
        #expect(error == ArchiveServiceError(.answer, "w1: the response has no cosignature by the configured key"))
    }

    @Test func `a cosignature of another text is rejected`() async throws {
        try await archive.grow(by: 1)
        let key = try PrivateKey.generate(.ed25519)
        let signer = try NoteSigner(name: "w", type: .cosignature, key: key)
        server.set(.body(try signer.signature(of: "another text\n", with: 1).line))
        let error = await anchorError { try await anchor(key: signer.verifier).anchor(try await archive.log()) }
        #expect(error == ArchiveServiceError(.answer, "w1: the cosignature of appstore.notifications/2 does not match"))
    }

    @Test func `a witness that reports ever greater sizes is queried a limited number of times`() async throws {
        try await archive.grow(by: 100)
        server.set(.sizeThatChanges)
        #expect(await anchorError { try await anchor().anchor(try await archive.log()) }?.code == .unavailable)
        #expect(server.requests.count == 3)
    }

    @Test func `a conflict without a size is a conflict of the tree`() async throws {
        try await archive.grow(by: 2)
        try await anchor().anchor(try await archive.log())
        server.set(.withoutSizeType)
        #expect(await anchorError { try await anchor().anchor(try await archive.log()) }?.code == .conflict)
    }

    @Test func `a witness that cannot be reached is retried later`() async throws {
        try await archive.grow(by: 1)
        let anchor = WitnessAnchor(
            Witness(name: "w1", verifier: server.verifier, url: "http://127.0.0.1:1"), archive: archive.store
        ) { _ throws(HTTPClientError) in throw HTTPClientError(code: .timedOut, message: "no answer") }
        let error = await anchorError { try await anchor.anchor(try await archive.log()) }
        #expect(error == ArchiveServiceError(.unavailable, "w1: no answer"))
    }

    // MARK: Witness file

    @Test func `a witness is a line with name, key and URL`() throws {
        let key = server.verifier.text
        let text = "# witnesses\n\nw1 \(key) https://witness.example/w1/\n  w2\t\(key)  http://127.0.0.1:1/add\r\n"
        #expect(
            try Witness.read(Array(text.utf8)) == [
                Witness(name: "w1", verifier: server.verifier, url: "https://witness.example/w1"),
                Witness(name: "w2", verifier: server.verifier, url: "http://127.0.0.1:1/add"),
            ])
    }

    @Test func `a file without a usable witness is rejected with the line number`() throws {
        let key = server.verifier.text
        let log = try archive.signer.verifiers().verifiers[0].text
        for (text, problem) in [
            ("", "the file lists no witnesses"), ("# none\n", "the file lists no witnesses"),
            ("w1 \(key)", "line 1 must have the form: name verifier-key URL"),
            ("\nw1 \(key) https://a b", "line 2 must have the form: name verifier-key URL"),
            (
                "w1 \(log) https://a",
                "line 1 has a log's key; a witness needs a cosignature key (type 4 or 6)"
            ),
            ("w1 \(key) ftp://a", "line 1 has a URL that is not an https:// URL"),
            ("w1 \(key) https://a?b", "line 1 has a URL with a query"),
            ("w1 \(key) https://u:p@a", "line 1 has a URL with a user name"),
            ("kafka \(key) https://a", "line 1 repeats the name of another anchor"),
            ("w \(key) https://a\nw \(key) https://b", "line 2 repeats the name of another anchor"),
        ] {
            #expect(throws: FileError(message: problem)) { try Witness.read(Array(text.utf8)) }
        }
        #expect(throws: FileError.self) { try Witness.read(Array("w1 \(key.dropLast(4)) https://a".utf8)) }
    }
}

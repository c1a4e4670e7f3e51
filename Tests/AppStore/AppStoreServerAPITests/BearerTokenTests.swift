import AppStoreModel
import Cryptography
import Foundation
import JSON
import TestSupport
import Testing

@testable import AppStoreServerAPI

/// The tokens that authenticate us to Apple.
@Suite struct BearerTokenTests {
    private let time = VirtualTime()
    private let directory: TemporaryDirectory
    private let firstKey: [UInt8]
    private let secondKey: [UInt8]
    private let path: String
    private static let app = BundleId("com.example.app")
    private static let other = BundleId("com.example.other")

    init() throws {
        directory = try TemporaryDirectory()
        firstKey = try APIHarness.newKey()
        secondKey = try APIHarness.newKey()
        path = try directory.write(firstKey, to: "key.p8")
    }

    private func tokens(_ events: APIHarness.Events = APIHarness.Events()) -> BearerTokens {
        let credentials = APICredentials(issuerId: "issuer", keyId: "key", keyFile: path)
        return BearerTokens(
            credentials: [Self.app: credentials, Self.other: credentials], clocks: time.clocks,
            report: { events.add($0) })
    }

    private func text(_ token: BearerToken) -> String { String(token.revealedAuthorization.dropFirst(7)) }

    private func replaceKey(by bytes: [UInt8]) throws {
        // As in an update of a mounted secret, another file is renamed over it.
        let next = try directory.write(bytes, to: "next.p8")
        #expect(rename(next, path) == 0)
    }

    @Test func `header and claims are as documented by Apple, and the key signs them`() throws {
        let token = try DecodedToken(text(try tokens().token(for: Self.app)))
        #expect(token.header == ["alg": "ES256", "kid": "key", "typ": "JWT"])
        let now = VirtualTime.start / 1000
        #expect(
            token.claims == [
                "iss": "issuer", "iat": .integer(now), "exp": .integer(now + 300), "aud": "appstoreconnect-v1",
                "bid": .string(Self.app.rawValue),
            ])
        #expect(try token.isSigned(byKeyIn: firstKey))
        #expect(try !token.isSigned(byKeyIn: secondKey))
    }

    @Test func `a token is used for three of its five minutes and for one app`() throws {
        let tokens = tokens()
        let first = try tokens.token(for: Self.app)
        time.advance(by: .seconds(179))
        #expect(try tokens.token(for: Self.app).isSame(as: first))
        #expect(try !tokens.token(for: Self.other).isSame(as: first))
        time.advance(by: .seconds(1))
        let second = try tokens.token(for: Self.app)
        #expect(!second.isSame(as: first))
        #expect(second.issuedAt == first.issuedAt + 180)
    }

    @Test(arguments: [Duration.seconds(-60), .seconds(3600)])
    func `a token from before a clock correction is not reused`(by correction: Duration) throws {
        let tokens = tokens()
        let first = try tokens.token(for: Self.app)
        time.setWallClock(forwardBy: correction)
        let second = try tokens.token(for: Self.app)
        #expect(second.issuedAt == first.issuedAt + correction.components.seconds)
    }

    @Test func `a key that replaces the file is used within seconds for all apps`() throws {
        let events = APIHarness.Events()
        let tokens = tokens(events)
        _ = try tokens.token(for: Self.app)
        _ = try tokens.token(for: Self.other)
        try replaceKey(by: secondKey)
        time.advance(by: .seconds(5))
        for app in [Self.app, Self.other] {
            let token = try DecodedToken(text(try tokens.token(for: app)))
            #expect(try token.isSigned(byKeyIn: secondKey))
        }
        #expect(events.all == [.keyRead(file: path), .keyRead(file: path)])
    }

    /// Each key's ID is part of its file name.
    @Test func `changing a link to another key changes the key id together with the key`() throws {
        let first = try directory.write(firstKey, to: "SubscriptionKey_AAAAAAAAA1.p8")
        let second = try directory.write(secondKey, to: "SubscriptionKey_BBBBBBBBB2.p8")
        #expect(unlink(path) == 0 && symlink(first, path) == 0)
        let tokens = tokens()
        #expect(try DecodedToken(text(try tokens.token(for: Self.app))).header["kid"] == "AAAAAAAAA1")
        let link = directory.file("link")
        #expect(symlink(second, link) == 0 && rename(link, path) == 0)
        time.advance(by: .seconds(5))
        let token = try DecodedToken(text(try tokens.token(for: Self.app)))
        #expect(token.header["kid"] == "BBBBBBBBB2")
        #expect(try token.isSigned(byKeyIn: secondKey))
    }

    @Test(
        arguments: [
            ("SubscriptionKey_2X9R4HXF34.p8", "2X9R4HXF34"), ("AuthKey_2X9R4HXF34.p8", "2X9R4HXF34"),
            ("SubscriptionKey_2x9r4hxf34.p8", nil), ("SubscriptionKey_2X9R4HXF3.p8", nil), ("key.p8", nil),
            ("SubscriptionKey_2X9R4HXF34.pem", nil), ("SubscriptionKey_.p8", nil), ("", nil),
        ] as [(String, String?)])
    func `the key id is derived only from Apple's own file names`(name: String, id: String?) {
        #expect(SigningKeyFile.keyId(inNameOf: name) == id)
    }

    @Test func `an unusable file is reported once, and the previous key remains in use`() throws {
        let events = APIHarness.Events()
        let tokens = tokens(events)
        _ = try tokens.token(for: Self.app)
        try replaceKey(by: Array("not a key".utf8))
        for _ in 0..<3 {
            time.advance(by: .seconds(120))
            #expect(try DecodedToken(text(try tokens.token(for: Self.app))).isSigned(byKeyIn: firstKey))
        }
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<3 {
            time.advance(by: .seconds(120))
            #expect(try DecodedToken(text(try tokens.token(for: Self.app))).isSigned(byKeyIn: firstKey))
        }
        let unusable = events.all.filter { if case .keyUnusable = $0 { true } else { false } }
        #expect(unusable.count == 2)
        try replaceKey(by: secondKey)
        time.advance(by: .seconds(5))
        #expect(try DecodedToken(text(try tokens.token(for: Self.app))).isSigned(byKeyIn: secondKey))
    }

    @Test func `an unreadable key at startup is a failure that names the file until it exists`() throws {
        try FileManager.default.removeItem(atPath: path)
        let tokens = tokens()
        do throws(APIError) {
            _ = try tokens.token(for: Self.app)
            Issue.record("there is no key")
        } catch {
            #expect(error.kind == .noKey && error.isRetriable && error.status == nil)
            #expect(error.description.contains(path))
        }
        _ = try directory.write(firstKey, to: "key.p8")
        time.advance(by: .seconds(5))
        _ = try tokens.token(for: Self.app)
    }

    @Test func `an app without credentials has no token, and the failure names the settings`() {
        do throws(APIError) {
            _ = try tokens().token(for: BundleId("com.example.none"))
            Issue.record("there are no credentials")
        } catch {
            #expect(error.kind == .noKey && !error.isRetriable)
            #expect(error.description.contains("appstore.api.key.file"))
        }
    }

    @Test func `a rejected token is replaced once, regardless of the number of rejected requests`() throws {
        let tokens = tokens()
        let first = try tokens.token(for: Self.app)
        time.advance(by: .seconds(1))
        try replaceKey(by: secondKey)
        tokens.discard(first, of: Self.app)
        let second = try tokens.token(for: Self.app)
        #expect(try DecodedToken(text(second)).isSigned(byKeyIn: secondKey))
        tokens.discard(first, of: Self.app)
        #expect(try tokens.token(for: Self.app).isSame(as: second))
    }

    @Test func `descriptions of tokens and keys do not reveal their content`() throws {
        let token = try tokens().token(for: Self.app)
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] { #expect(!text.contains("eyJ")) }
        let echoed = token.redacted("before \(token.revealedAuthorization) after")
        #expect(!echoed.contains("eyJ"))
        #expect(echoed.hasPrefix("before Bearer <token>") && echoed.hasSuffix(" after"))
    }
}

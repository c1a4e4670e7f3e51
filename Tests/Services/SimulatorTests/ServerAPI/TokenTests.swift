import Cryptography
import JSON
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(5))) struct `API tokens` {
    private let path = "/inApps/v1/lookup/M1"

    @Test func `a valid token is accepted, even without iat`() async throws {
        try await APIHarness.open { harness in
            #expect(try await harness.send("GET", path).status == 200)
            let token = try harness.token(claims: { $0["iat"] = nil })
            #expect(try await harness.send("GET", path, bytes: nil, token: token).status == 200)
            #expect(harness.api.tokenProblems.isEmpty)
        }
    }

    /// A change to a valid token and the expected problem.
    struct Change: Sendable, CustomTestStringConvertible {
        let problem: BearerToken.Problem
        let testDescription: String
        var header: (@Sendable (inout JSONObject) -> Void) = { _ in }
        var claims: (@Sendable (inout JSONObject, _ now: Int64) -> Void) = { _, _ in }

        init(
            _ problem: BearerToken.Problem, _ description: String,
            header: @escaping @Sendable (inout JSONObject) -> Void = { _ in },
            claims: @escaping @Sendable (inout JSONObject, Int64) -> Void = { _, _ in }
        ) {
            self.problem = problem
            testDescription = description
            self.header = header
            self.claims = claims
        }
    }

    static let changes = [
        Change(.algorithm, "another algorithm", header: { $0["alg"] = "none" }),
        Change(.type, "no typ", header: { $0["typ"] = nil }),
        Change(.keyId, "another key id", header: { $0["kid"] = "other" }),
        Change(.issuer, "another issuer", claims: { claims, _ in claims["iss"] = "other" }),
        Change(.audience, "another audience", claims: { claims, _ in claims["aud"] = "appstoreconnect-v2" }),
        Change(.bundleId, "another app", claims: { claims, _ in claims["bid"] = "com.example.other" }),
        Change(.bundleId, "no app", claims: { claims, _ in claims["bid"] = nil }),
        Change(.issuedInFuture, "issued in a second", claims: { claims, now in claims["iat"] = .integer(now + 1) }),
        Change(.issuedInFuture, "issued as text", claims: { claims, _ in claims["iat"] = "now" }),
        Change(.lifetime, "without an end", claims: { claims, _ in claims["exp"] = nil }),
        Change(
            .lifetime, "for 60 minutes and a second", claims: { claims, now in claims["exp"] = .integer(now + 3601) }),
        Change(
            .lifetime, "for 60 minutes and a second, begun before",
            claims: { claims, now in
                claims["iat"] = .integer(now - 1)
                claims["exp"] = .integer(now + 3600)
            }),
        Change(
            .lifetime, "for longer than 64 bits hold",
            claims: { claims, now in
                claims["iat"] = .integer(.min)
                claims["exp"] = .integer(.max)
            }),
        Change(.expired, "over now", claims: { claims, now in claims["exp"] = .integer(now) }),
    ]

    @Test(arguments: changes) func `an invalid token is answered 401 without a body`(change: Change) async throws {
        try await APIHarness.open { harness in
            let now = harness.time.now / 1000
            let token = try harness.token(header: change.header, claims: { change.claims(&$0, now) })
            let answer = try await harness.send("GET", path, bytes: nil, token: token)
            #expect(answer.status == 401 && answer.body.isEmpty)
            #expect(harness.api.tokenProblems == [change.problem.rawValue: 1])
        }
    }

    @Test func `a token lasts at most 60 minutes, and is valid until its last second`() async throws {
        try await APIHarness.open { harness in
            let now = harness.time.now / 1000
            let token = try harness.token(claims: { $0["exp"] = .integer(now + 3600) })
            #expect(try await harness.send("GET", path, bytes: nil, token: token).status == 200)
            harness.time.advance(by: .seconds(3599))
            #expect(try await harness.send("GET", path, bytes: nil, token: token).status == 200)
            harness.time.advance(by: .seconds(1))
            #expect(try await harness.send("GET", path, bytes: nil, token: token).status == 401)
        }
    }

    @Test func `a signature by another key, or over another payload, is refused`() async throws {
        try await APIHarness.open { harness in
            let other = try harness.token(key: PrivateKey.generate(.p256))
            #expect(try await harness.send("GET", path, bytes: nil, token: other).status == 401)
            var parts = try harness.token().split(separator: ".").map(String.init)
            parts[1] = try harness.token(claims: { $0["jti"] = "1" }).split(separator: ".").map(String.init)[1]
            #expect(try await harness.send("GET", path, bytes: nil, token: parts.joined(separator: ".")).status == 401)
            #expect(harness.api.tokenProblems == ["signature": 2])
        }
    }

    @Test(arguments: [nil, "", "a.b", "a.b.c", "e30.e30.e30.e30", "e30.W10.e30"])
    func `text that is not a token is refused`(token: String?) async throws {
        try await APIHarness.open { harness async throws in
            #expect(try await harness.send("GET", path, bytes: nil, token: .some(token)).status == 401)
            #expect(harness.api.tokenProblems.values.reduce(0, +) == 1)
        }
    }
}

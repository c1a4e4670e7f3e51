import Configuration
import Foundation
import HTTPClient
import Kafka
import KafkaTokens
import ObjectStorage
import Primitives
import Synchronization
import Testing

/// Tests of the client credentials grant (RFC 6749, sections 2.3.1, 4.4 and 5).
@Suite struct ClientCredentialsTests {
    private static let now: Int64 = 1_795_700_000_000

    private final class Requests: Sendable {
        let all = Mutex<[HTTPClientRequest]>([])
    }

    private func grant(
        _ requests: Requests = Requests(), scope: String? = nil, audience: String? = nil, status: Int = 200,
        answering body: String
    ) -> ClientCredentials {
        ClientCredentials(
            endpoint: "https://idp.example/token", clientId: "slui ce",
            secret: { () throws(KafkaTokenError) in Secret(Array("s3:cr+t".utf8)) }, scope: scope,
            audience: audience, extensions: ["logicalCluster": "lkc-1"],
            requests: CredentialRequests(
                send: { request throws(HTTPClientError) in
                    requests.all.withLock { $0.append(request) }
                    return HTTPClientResponse(status: status, headers: [], body: Array(body.utf8))
                }, now: { Self.now }))
    }

    @Test func `client id and secret are sent in a header, the scope in the form`() async throws {
        let requests = Requests()
        let token = try await grant(
            requests, scope: "kafka read", audience: "https://kafka",
            answering: #"{"access_token":"t","expires_in":60}"#
        ).token()
        let request = try #require(requests.all.withLock { $0 }.first)
        #expect(request.method == "POST" && request.url == "https://idp.example/token")
        let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name.lowercased(), $0.value) })
        #expect(headers["authorization"] == "Basic " + Data("slui%20ce:s3%3Acr%2Bt".utf8).base64EncodedString())
        #expect(headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(
            request.body.map { String(decoding: $0, as: UTF8.self) }
                == "grant_type=client_credentials&scope=kafka%20read&audience=https%3A%2F%2Fkafka")
        #expect(token.value == "t" && token.principal == "slui ce" && token.extensions == ["logicalCluster": "lkc-1"])
        #expect(token.expiry == Self.now + 60_000)
    }

    @Test(arguments: [
        (#"{"access_token":"JWT","expires_in":600}"#, "sluice", Int64(100_000)),
        (#"{"access_token":"JWT","expires_in":50}"#, "sluice", Int64(50_000)),
        (#"{"access_token":"JWT"}"#, "sluice", Int64(100_000)),
        (#"{"access_token":"opaque"}"#, "slui ce", Int64(300_000)),
        (#"{"access_token":"a.b.c","expires_in":-5}"#, "slui ce", Int64(1_000)),
        (#"{"access_token":"a.b.c","expires_in":9e18}"#, "slui ce", Int64(10 * 365 * 86_400_000)),
    ])
    func `a token expires at the earlier time of the response and the token itself`(
        _ answer: String, _ principal: String, _ life: Int64
    ) async throws {
        let claims = #"{"sub":"sluice","exp":\#(Self.now / 1000 + 100)}"#
        let jwt = "e30." + String(decoding: Base64URL.encode(Array(claims.utf8)), as: UTF8.self) + ".c2ln"
        let token = try await grant(answering: answer.replacing("JWT", with: jwt)).token()
        #expect(token.principal == principal)
        #expect(token.expiry - Self.now == life)
    }

    @Test(arguments: [
        (
            400, #"{"error":"invalid_scope","error_description":"no\nsuch scope"}"#, "400: invalid_scope: nosuch scope",
            true
        ),
        (401, #"{"error":"invalid_client"}"#, "401: invalid_client", true), (403, "<html>", "403", true),
        (429, "{}", "429", false), (503, "busy", "503", false), (200, "{}", "returned no access_token", false),
        (200, #"{"access_token":""}"#, "returned no access_token", false),
        (200, "[]", "returned no access_token", false),
    ])
    func `the error for a response without a token quotes the provider`(
        _ status: Int, _ body: String, _ words: String, _ isRefusal: Bool
    ) async {
        let failure = await #expect(throws: KafkaTokenError.self) {
            try await grant(status: status, answering: body).token()
        }
        #expect(failure?.message.hasPrefix("https://idp.example/token ") == true)
        #expect(failure?.message.hasSuffix(words) == true, "\(String(describing: failure))")
        #expect(failure?.isRefusal == isRefusal)
    }

    @Test func `an unreachable provider is not a refusal`() async {
        let grant = ClientCredentials(
            endpoint: "https://idp.example/token", clientId: "c",
            secret: { () throws(KafkaTokenError) in Secret([1]) },
            requests: CredentialRequests(
                send: { _ throws(HTTPClientError) in throw HTTPClientError(code: .timedOut, message: "no answer") },
                now: { 0 }))
        let failure = await #expect(throws: KafkaTokenError.self) { try await grant.token() }
        #expect(failure?.message == "no response from https://idp.example/token: no answer")
        #expect(failure?.isRefusal == false)
    }
}

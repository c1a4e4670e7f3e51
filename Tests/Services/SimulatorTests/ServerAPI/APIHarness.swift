import AppStoreModel
import AppStoreSigning
import Cryptography
import Foundation
import HTTPClient
import JSON
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Simulator

/// The key with which these tests' clients sign tokens.
let testAPIKey = Result { try PrivateKey.generate(.p256) }

/// A time that advances only in the test, for both clocks and all timers.
final class TestTime: Sendable {
    private struct State {
        var elapsed = Duration.zero
        var waiting: [(due: Duration, number: Int, action: @Sendable () -> Void)] = []
        var number = 0
    }

    /// Initial time, in milliseconds since 1970.
    static let start = scenarioEnd
    private let state = Mutex(State())

    var clocks: Clocks {
        Clocks(
            wallMilliseconds: { [self] in Self.start + elapsed.milliseconds },
            monotonicNanoseconds: { [self] in 1_000_000_000 + UInt64(elapsed.clampedNanoseconds) })
    }

    var now: Int64 { clocks.wallMilliseconds() }
    /// Number of actions that wait for their time.
    var waitingCount: Int { state.withLock { $0.waiting.count } }
    private var elapsed: Duration { state.withLock { $0.elapsed } }

    func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.number += 1
            state.waiting.append((state.elapsed + delay, state.number, action))
        }
    }

    /// Advances the time, and runs due actions in order.
    func advance(by duration: Duration) {
        let end = elapsed + duration
        while let action = takeNext(until: end) { action() }
        state.withLock { $0.elapsed = end }
    }

    private func takeNext(until end: Duration) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let next = state.waiting.indices.min { one, other in
                (state.waiting[one].due, state.waiting[one].number)
                    < (state.waiting[other].due, state.waiting[other].number)
            }
            guard let next, state.waiting[next].due <= end else { return nil }
            state.elapsed = max(state.elapsed, state.waiting[next].due)
            return state.waiting.remove(at: next).action
        }
    }
}

/// The notifications posted by an API. Each is acknowledged unless the test decides otherwise.
final class PostedNotifications: Sendable {
    private let bodies = Mutex<[[UInt8]]>([])
    private let outcome: @Sendable (Int) -> PostOutcome

    init(outcome: @escaping @Sendable (_ number: Int) -> PostOutcome = { _ in .status(200) }) {
        self.outcome = outcome
    }

    func post(_ body: [UInt8], _ ended: @Sendable (PostOutcome) -> Void) {
        let number = bodies.withLock { bodies in
            bodies.append(body)
            return bodies.count
        }
        ended(outcome(number))
    }

    /// The decoded payloads, in posting order.
    var payloads: [JSONObject] {
        get throws {
            try bodies.withLock { $0 }.map { body in
                let signed = try #require(try JSONValue(json: body).object?["signedPayload"]?.string)
                return try #require(try JSONValue(json: CompactJWS.payload(signed)).object)
            }
        }
    }

    var types: [String] { get throws { try payloads.compactMap { $0["notificationType"]?.string } } }
}

/// A served API with a client.
final class APIHarness: Sendable {
    struct Answer {
        let status: Int
        let body: [UInt8]
        let response: HTTPClientResponse

        var json: JSONObject? { (try? JSONValue(json: body))?.object }
        var errorCode: Int64? { json?["errorCode"]?.integer }
    }

    let api: SimulatedServerAPI
    let time: TestTime
    private let client = HTTPClient()

    /// - Parameter change: changes the settings before the start.
    static func open(
        _ change: (inout SimulatedServerAPI.Settings) -> Void = { _ in }, _ body: (APIHarness) async throws -> Void
    ) async throws {
        let harness = try APIHarness(change)
        do {
            try await body(harness)
            await harness.close()
        } catch {
            await harness.close()
            throw error
        }
    }

    private init(_ change: (inout SimulatedServerAPI.Settings) -> Void) throws {
        let time = TestTime()
        let publicKey = try #require(try testAPIKey.get().publicKey)
        var settings = SimulatedServerAPI.Settings(
            app: productionApp,
            credentials: ServerAPICredentials(issuerId: "issuer", keyId: "key", publicKey: publicKey))
        settings.after = { time.after($0, $1) }
        change(&settings)
        api = SimulatedServerAPI(settings: settings, pki: try testPKI.get(), clock: time.clocks)
        self.time = time
        try api.start()
    }

    private func close() async {
        client.close()
        await api.stop()
    }

    /// Returns a currently valid token with the given changes.
    func token(
        key: PrivateKey? = nil, header: (inout JSONObject) -> Void = { _ in },
        claims: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        let seconds = time.now / 1000
        var head: JSONObject = ["alg": "ES256", "kid": "key", "typ": "JWT"]
        var payload: JSONObject = [
            "iss": "issuer", "iat": .integer(seconds), "exp": .integer(seconds + 300), "aud": "appstoreconnect-v1",
            "bid": .string(api.settings.app.bundleId.rawValue),
        ]
        header(&head)
        claims(&payload)
        let signed = Base64URL.encode(head.bytes) + [UInt8(ascii: ".")] + Base64URL.encode(payload.bytes)
        let signature = try (key ?? testAPIKey.get()).es256Signature(of: signed)
        return String(decoding: signed + [UInt8(ascii: ".")] + Base64URL.encode(signature), as: UTF8.self)
    }

    func send(
        _ method: String, _ path: String, _ body: JSONObject? = nil, in environment: AppStoreEnvironment = .production
    ) async throws -> Answer {
        try await send(method, path, bytes: body?.bytes, in: environment)
    }

    /// - Parameter token: `nil` to send no `Authorization`; by default a valid token is sent.
    func send(
        _ method: String, _ path: String, bytes: [UInt8]?, in environment: AppStoreEnvironment = .production,
        token: String?? = nil
    ) async throws -> Answer {
        var headers = [(name: "Accept", value: "application/json")]
        if let token = try token ?? self.token() { headers.append(("Authorization", "Bearer \(token)")) }
        if bytes != nil { headers.append(("Content-Type", "application/json")) }
        let response = try await client.send(
            HTTPClientRequest(
                method: method, url: api.url(of: environment) + path, headers: headers, body: bytes,
                timeout: .seconds(20).scaled))
        return Answer(status: response.status, body: response.body, response: response)
    }
}

/// Returns the decoded payload of a JWS in a response.
func payload(_ jws: JSONValue?) throws -> JSONObject {
    let jws = try #require(jws?.string)
    return try #require(try JSONValue(json: CompactJWS.payload(jws)).object)
}

/// A consumption answer that is valid for every product.
let decline: JSONObject = [
    "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
    "refundPreference": "DECLINE",
]

/// The consumption answer in version 1.
let declineV1: JSONObject = [
    "customerConsented": true, "consumptionStatus": 1, "platform": 1, "sampleContentProvided": false,
    "deliveryStatus": 0, "appAccountToken": "", "accountTenure": 1, "playTime": 1, "lifetimeDollarsRefunded": 1,
    "lifetimeDollarsPurchased": 1, "userStatus": 1, "refundPreference": 2,
]

extension JSONObject {
    /// Returns the object with one member replaced, or removed if nil.
    func with(_ name: String, _ value: JSONValue?) -> JSONObject {
        var copy = self
        copy[name] = value
        return copy
    }
}

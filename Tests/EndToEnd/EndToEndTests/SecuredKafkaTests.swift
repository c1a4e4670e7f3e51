import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import TestSupport
import Testing

extension EndToEnd {
    /// The executables on a broker with typical security.
    @Suite(
        .enabled(if: ApacheKafka.canStart && TLSFiles.isAvailable, "\(ApacheKafka.faultAbsence); \(TLSFiles.absence)"),
        .timeLimit(.minutes(10)))
    struct SecuredClientsOnApacheKafka {
        @Test func `each mechanism works, or is refused with the cause`() async throws {
            try await Harness.open { harness in
                let secured = try await EncryptedBroker(harness)
                try await examine(secured, harness, under: [])
                if let root = DebianRoot.given {
                    try await examine(secured, harness, under: try root.wrapper(harness))
                } else {
                    print("librdkafka of another Debian: \(DebianRoot.absence)")
                }
                try await secured.stop()
            }
        }

        /// The cases run concurrently, because each waits ten seconds for the brokers.
        @Test func `startup and doctor report the actual cause`() async throws {
            try await Harness.open { harness in
                let secured = try await EncryptedBroker(harness)
                try await withThrowingTaskGroup { group in
                    for cause in TrueCause.all {
                        group.addTask { try await expect(cause, secured, harness) }
                    }
                    try await group.waitForAll()
                }
                try await secured.stop()
            }
        }

        @Test func `every client of an ingress and a consumer uses tokens`() async throws {
            try await Harness.open { harness in
                let secured = try await EncryptedBroker(harness)
                let (broker, settings) = (secured.broker(.token), try secured.settings(.token))
                let administrator = secured.administrator
                let ingress = try await harness.ingress(
                    on: broker, for: try await harness.simulatedApp(), settings: settings)
                let entitlements = try await harness.entitlements(on: broker, settings: settings)
                let client = HTTPClient()
                defer { client.close() }
                let body = try NotificationSupply.bodies(1, pki: harness.path("pki"), seed: 1)[0]
                #expect(try await ingress.post(body, with: client).status == 200)
                let topic = administrator.notifications(.production)
                try await administrator.write([
                    KafkaProducerRecord(topic: topic, key: Array("key".utf8), value: Array("no notification".utf8))
                ])
                // The state and the dead letter are written by separate producers.
                var written: [Int] = []
                let isWritten = try await eventually(within: .seconds(60)) {
                    let states = try await administrator.records(of: administrator.entitlements(.production))
                    written = [states.count, try await administrator.deadLetters().count]
                    return !written.contains(0)
                }
                #expect(isWritten, "\(written); \(entitlements.process)")
                try await secured.stop()
            }
        }

        @Test func `a consumer with short-lived tokens continues with renewed ones`() async throws {
            try await Harness.open { harness in
                let secured = try await EncryptedBroker(harness)
                let shortLived = try TokenEndpoint(subject: EncryptedBroker.user, life: 4, key: secured.tokens.key)
                let entitlements = try await harness.entitlements(
                    on: secured.broker(.token),
                    settings: try secured.settings(.token, changing: ["kafka.token.endpoint.url": shortLived.url]))
                // Tokens are renewed after four fifths of their four seconds, repeatedly.
                let isRenewed = await eventually(within: .seconds(60)) {
                    await pass(.milliseconds(200))
                    return shortLived.count >= 5
                }
                #expect(isRenewed, "\(shortLived.count) tokens")
                let client = HTTPClient()
                defer { client.close() }
                let isReady = await eventually(within: .seconds(20)) { await entitlements.isReady(client) }
                #expect(isReady && entitlements.process.ended == nil, "\(entitlements.process)")
                #expect(!entitlements.process.errors.contains(TokenEndpoint.secret))
                await shortLived.close()
                try await secured.stop()
            }
        }
    }
}

extension EndToEnd.SecuredClientsOnApacheKafka {
    /// Connects with each mechanism, and prints a row of the matrix.
    private func examine(_ secured: EncryptedBroker, _ harness: Harness, under wrapper: [String]) async throws {
        let version = try await librdkafka(harness, under: wrapper)
        let isFresh = version.compare("2.6.1", options: .numeric) != .orderedAscending
        for mechanism in EncryptedBroker.Mechanism.allCases {
            let process = try harness.start(
                Executable(
                    "sluicectl",
                    arguments: ["topics", "check"] + secured.broker(mechanism).arguments
                        + (try secured.settings(mechanism))),
                under: wrapper)
            let end = try await process.end(within: .seconds(60))
            if mechanism == .scram, !isFresh {
                #expect(end == .exit(78), "\(process)")
                #expect(
                    process.errors.contains("Kafka 4 and later reject SCRAM from librdkafka \(version)"), "\(process)")
            } else {
                // Exit code 1 means that topics differ from production's, so the brokers have responded.
                #expect(process.output.contains(secured.administrator.quarantine.rawValue), "\(mechanism): \(process)")
            }
            print(
                "librdkafka \(version), \(mechanism.rawValue): \(end == .exit(78) ? "refused, and says why" : "works")")
        }
    }

    private func librdkafka(_ harness: Harness, under wrapper: [String]) async throws -> String {
        let process = try harness.start(
            Executable("sluicectl", arguments: ["version", "--output", "json"]), under: wrapper)
        #expect(try await process.end(within: .seconds(30)) == .exit(0), "\(process)")
        let version = process.output.firstMatch(of: /"librdkafka":"([0-9.]+)"/)?.output.1
        return String(try #require(version, "\(process) \(process.output)"))
    }

    private func expect(_ cause: TrueCause, _ secured: EncryptedBroker, _ harness: Harness) async throws {
        var changes = cause.changes
        if cause.isForeignAuthority { changes["kafka.ssl.ca.location"] = try await foreignAuthority(harness) }
        let wrong = try harness.write("wrong\n", to: "wrong")
        for name in cause.wrongFiles { changes[name] = wrong }
        let settings =
            secured.broker(cause.mechanism).arguments
            + (try secured.settings(cause.mechanism, as: cause.user, changing: changes))
        let app = ["SLUICE_APPS": "com.example.app:1"]
        let ports = ["--http.port", "0", "--admin.port", "0"]
        let start = try await harness.run(
            Executable("sluice-ingress", arguments: settings + ports, environment: app), within: .seconds(60))
        #expect(start.end == .exit(cause.code), "\(cause): \(start)")
        let doctor = try await harness.run(
            Executable("sluicectl", arguments: ["doctor"] + settings, environment: app), within: .seconds(60))
        #expect(doctor.end == .exit(1), "\(cause): \(doctor)")
        for words in cause.words {
            #expect(start.errors.contains(words), "\(cause): \"\(words)\" is not in: \(start)")
            #expect(doctor.output.contains(words), "\(cause): \"\(words)\" is not in: \(doctor)")
        }
        if let stage = cause.stage {
            #expect(doctor.output.contains("problem  \(stage) "), "\(cause): \(doctor)")
        }
        #expect(!start.errors.contains(TokenEndpoint.secret) && !doctor.output.contains(TokenEndpoint.secret))
    }

    private func foreignAuthority(_ harness: Harness) async throws -> String {
        let directory = harness.path("foreign")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return try await TLSFiles(in: directory).authority
    }
}

/// A reason for brokers to refuse a client, and the expected message.
private struct TrueCause: Sendable, CustomStringConvertible {
    let description: String
    let mechanism: EncryptedBroker.Mechanism
    var user = EncryptedBroker.user
    var changes: [String: String?] = [:]
    /// Settings for files with wrong content.
    var wrongFiles: [String] = []
    var isForeignAuthority = false
    var code: Int32 = 78
    /// The check of doctor that fails before a broker answers, if it is known.
    var stage: String?
    /// Expected in the startup error, and in a finding of doctor.
    let words: [String]

    static let all = [
        TrueCause(
            description: "wrong password", mechanism: .plain, wrongFiles: ["kafka.sasl.password.file"],
            stage: "authentication",
            words: ["rejected the credentials", "Invalid username or password", "Correct kafka.sasl.username"]),
        TrueCause(
            description: "mechanism that is not offered", mechanism: .plain,
            changes: ["kafka.sasl.mechanism": "SCRAM-SHA-256"], stage: "authentication",
            words: ["mechanism handshake failed", "PLAIN", "Set kafka.sasl.mechanism"]),
        TrueCause(
            description: "foreign authority", mechanism: .plain, isForeignAuthority: true, stage: "tls",
            words: ["certificate verify failed", "authority"]),
        TrueCause(
            description: "no certificate", mechanism: .mutualTLS,
            changes: ["kafka.ssl.certificate.location": nil, "kafka.ssl.key.location": nil], stage: "tls",
            words: ["rejected this client's certificate, or the client has none", "kafka.ssl.key.location"]),
        TrueCause(
            description: "no TLS", mechanism: .plain, changes: ["kafka.security.protocol": "SASL_PLAINTEXT"], code: 1,
            words: ["security.protocol", "SASL_SSL"]),
        TrueCause(
            description: "identity provider that refuses", mechanism: .token,
            wrongFiles: ["kafka.token.client.secret.file"], stage: "authentication",
            words: ["no token was issued", "invalid_client: unknown client or wrong secret"]),
        TrueCause(
            description: "identity provider that does not answer", mechanism: .token,
            changes: ["kafka.token.endpoint.url": "http://127.0.0.1:1/token"], code: 1, stage: "authentication",
            words: ["no token was issued", "no response from http://127.0.0.1:1/token", "identity provider"]),
        TrueCause(
            description: "topics without a right", mechanism: .plain, user: EncryptedBroker.outsider,
            words: ["is denied, so the brokers do not report", "sluicectl topics acls"]),
    ]
}

import HTTPServer
import Testing

@testable import Ingress

@Suite struct PasswordFailuresTests {
    private let network = NetworkPrefix("192.0.2.0/24")
    private let second: UInt64 = 1_000_000_000

    @Test func `five failures are allowed, and one more for every twelve seconds`() throws {
        let network = try #require(network)
        let failures = PasswordFailures()
        for _ in 0..<5 {
            #expect(!failures.areTooMany(from: network, now: 0))
            failures.count(from: network, now: 0)
        }
        #expect(failures.areTooMany(from: network, now: 0))
        #expect(failures.areTooMany(from: network, now: 11 * second))
        #expect(!failures.areTooMany(from: network, now: 12 * second))
        failures.count(from: network, now: 12 * second)
        #expect(failures.areTooMany(from: network, now: 12 * second))
    }

    @Test func `other networks are not affected`() throws {
        let failures = PasswordFailures()
        let network = try #require(network)
        for _ in 0..<9 { failures.count(from: network, now: 0) }
        #expect(!failures.areTooMany(from: try #require(NetworkPrefix("198.51.100.0/24")), now: 0))
    }

    @Test func `the networks that failed longest ago are forgotten, not the last one`() throws {
        let failures = PasswordFailures()
        func network(_ number: Int) throws -> NetworkPrefix {
            try #require(NetworkPrefix("10.\(number / 256).\(number % 256).0/24"))
        }
        for number in 0...PasswordFailures.networks {
            for _ in 0..<5 { failures.count(from: try network(number), now: UInt64(number)) }
        }
        let now = UInt64(PasswordFailures.networks)
        #expect(!failures.areTooMany(from: try network(0), now: now))
        #expect(failures.areTooMany(from: try network(PasswordFailures.networks), now: now))
        #expect(failures.areTooMany(from: try network(PasswordFailures.networks - 1), now: now))
    }
}

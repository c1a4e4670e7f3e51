import Cryptography
import Testing

/// Responses by an authorized responder that are changed and signed again, with unsupported content or excessive size.
struct OCSPAnswerTests {
    private static let now = TestAuthority.now
    private static let good = OCSPAnswer.good(thisUpdate: now - 600, nextUpdate: now + 43_200)
    /// The critical extension 1.2.3.4 with the value NULL.
    private static let critical = DER.sequence(
        [0x06, 0x03, 0x2A, 0x03, 0x04], [0x01, 0x01, 0xFF], [0x04, 0x02, 0x05, 0x00])
    private static let harmless = DER.sequence([0x06, 0x03, 0x2A, 0x03, 0x04], [0x04, 0x02, 0x05, 0x00])

    private let request: OCSPRequest
    private let delegate: (certificate: Certificate, key: PrivateKey)
    private let response: [UInt8]

    init() throws {
        let authority = try TestAuthority.shared.get()
        request = try OCSPRequest(subject: authority.leaf, issuer: authority.intermediate)
        delegate = try authority.responder()
        let responder = OCSPResponder(
            issuer: authority.intermediate, signer: delegate.certificate, key: delegate.key)
        response = try responder.answer(request: request.der, at: Self.now) { _ in .good }
    }

    private func judged(_ change: (inout Answer) throws -> Void) throws -> OCSPAnswer {
        var answer = try Answer(response)
        try change(&answer)
        return request.evaluate(response: try answer.encoded(signedBy: delegate.key), at: Self.now)
    }

    @Test func `a response that is signed again without a change remains valid`() throws {
        #expect(try judged { _ in } == Self.good)
    }

    @Test func `an unknown extension is refused only if it is critical`() throws {
        #expect(try judged { $0.extensions.append(Self.harmless) } == Self.good)
        #expect(try judged { $0.extensions.append(Self.critical) } == .nothingNew(.malformed))
    }

    @Test func `a critical extension in a single response is refused, and a non-critical one is not`() throws {
        let single = { (entry: [UInt8]) in DER.value(0xA1, DER.sequence(entry)) }
        #expect(try judged { $0.single.append(single(Self.harmless)) } == Self.good)
        #expect(try judged { $0.single.append(single(Self.critical)) } == .nothingNew(.malformed))
    }

    @Test func `a response over 64 KiB is refused without being parsed`() throws {
        // The signature does not cover the certificates, so anyone on the network path can add any number of them.
        let one = delegate.certificate.der
        let most = try judged { $0.certificates = Array(repeating: one, count: 60_000 / one.count) }
        #expect(most == Self.good)
        let more = try judged { $0.certificates = Array(repeating: one, count: 66_000 / one.count + 1) }
        #expect(more == .nothingNew(.malformed))
    }
}

/// The parts of a successful response about one certificate (RFC 6960 section 4.2.1).
private struct Answer {
    struct Malformed: Error {}

    /// The responder's name and the time of the response.
    private let beginning: [[UInt8]]
    /// The certificate, status, thisUpdate and nextUpdate.
    var single: [[UInt8]]
    var extensions: [[UInt8]]
    private let algorithm: [UInt8]
    var certificates: [[UInt8]]
    private let type: [UInt8]

    init(_ response: [UInt8]) throws {
        let wrapped = try Self.contents(try Self.contents(try Self.contents(response)[1])[0])
        type = wrapped[0]
        let basic = try Self.contents(try Self.content(wrapped[1]))
        let data = try Self.contents(basic[0])
        guard data.count == 4, basic.count == 4 else { throw Malformed() }
        beginning = Array(data[0...1])
        single = try Self.contents(try Self.contents(data[2])[0])
        extensions = try Self.contents(try Self.contents(data[3])[0])
        algorithm = basic[1]
        certificates = try Self.contents(try Self.contents(basic[3])[0])
    }

    func encoded(signedBy key: PrivateKey) throws -> [UInt8] {
        let answers = DER.sequence(DER.value(0x30, single.flatMap { $0 }))
        let data = DER.value(
            0x30,
            beginning.flatMap { $0 } + answers + DER.value(0xA1, DER.value(0x30, extensions.flatMap { $0 })))
        let signature = try key.es256Signature(of: data)
        let numbers = DER.sequence(Self.integer(signature[..<32]), Self.integer(signature[32...]))
        let basic = DER.sequence(
            data, algorithm, DER.value(0x03, [0] + numbers),
            DER.value(0xA0, DER.value(0x30, certificates.flatMap { $0 })))
        return DER.sequence(
            [0x0A, 0x01, 0x00], DER.value(0xA0, DER.sequence(type, DER.value(0x04, basic))))
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let number = Array(bytes.drop { $0 == 0 })
        return DER.value(0x02, (number.first ?? 0x80) >= 0x80 ? [0] + number : number)
    }

    /// Returns the elements of a constructed value, each with tag and length.
    private static func contents(_ value: [UInt8]) throws -> [[UInt8]] {
        try contents(content(value)[...])
    }

    private static func contents(_ bytes: ArraySlice<UInt8>) throws -> [[UInt8]] {
        var values: [[UInt8]] = []
        var rest = bytes
        while !rest.isEmpty {
            let value = rest.prefix(try headerCount(rest) + contentCount(rest))
            values.append(Array(value))
            rest = rest.dropFirst(value.count)
        }
        return values
    }

    private static func content(_ value: [UInt8]) throws -> [UInt8] {
        Array(value.dropFirst(try headerCount(value[...])))
    }

    private static func headerCount(_ value: ArraySlice<UInt8>) throws -> Int {
        guard let length = value.dropFirst().first else { throw Malformed() }
        return length < 0x80 ? 2 : 2 + Int(length & 0x7F)
    }

    private static func contentCount(_ value: ArraySlice<UInt8>) throws -> Int {
        let header = value.prefix(try headerCount(value)).dropFirst()
        return header.count == 1
            ? Int(header.first ?? 0) : header.dropFirst().reduce(0) { $0 << 8 | Int($1) }
    }
}

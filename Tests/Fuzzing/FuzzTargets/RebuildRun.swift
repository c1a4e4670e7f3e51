import AppStoreModel
import AppStoreSigning
import AppStoreVerification
import JSON
import Records
import TestSupport

/// Respells payloads, signs them, and rebuilds the accepted ones from their records.
package struct RebuildRun {
    private let verifier: NotificationVerifier
    private let signer: JWSSigner
    private let payloads: [[UInt8]]
    private let seed: UInt64
    package private(set) var outcomes: [String: Int] = [:]
    /// The indices of payloads that violated a property, with the violation.
    package private(set) var findings: [(index: Int, violation: Violation)] = []

    package init(_ material: SignedMaterial, seed: UInt64) throws {
        verifier = try material.verifier()
        signer = JWSSigner(material.pki)
        payloads = material.payloads
        self.seed = seed
    }

    package var accepted: Int { outcomes.filter { $0.key.hasPrefix("accepted") }.values.reduce(0, +) }

    package mutating func run(_ indices: Range<Int>) throws {
        for index in indices {
            do throws(Violation) {
                outcomes[try judge(index), default: 0] += 1
            } catch {
                outcomes["VIOLATION", default: 0] += 1
                findings.append((index, error))
            }
        }
    }

    private func judge(_ index: Int) throws(Violation) -> String {
        var random = SeededGenerator(seed: seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
        let payload = PayloadSpelling.respelled(payloads[index % payloads.count], signer, &random)
        guard let jws = try? signer.sign(payload) else { throw Violation("not signed") }
        switch verifier.verify(signedPayload: jws, at: SignedMaterial.now) {
        case .accepted(let notification):
            try hold(notification.signedPayload == jws, "another JWS")
            let read = try RebuildCheck.check(notification)
            return read.signedPayload == nil ? "accepted, rebuilt" : "accepted, with signedPayload"
        case .nonconforming(let notification): return "nonconforming, \(notification.reason)"
        default: throw Violation("neither accepted nor nonconforming")
        }
    }
}

/// Respells payloads as other encoders might, with the same or nearly the same content.
enum PayloadSpelling {
    static func respelled(
        _ payload: [UInt8], _ signer: JWSSigner, _ random: inout SeededGenerator
    ) -> [UInt8] {
        guard let document = try? JSONDocument(payload) else { return payload }
        var text: [UInt8] = []
        write(document.root, at: [], signer, &random, to: &text)
        return text
    }

    private static let nestedNames: Set<String> = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
    ]

    private static func write(
        _ element: JSONElement, at path: [String], _ signer: JWSSigner, _ random: inout SeededGenerator,
        to text: inout [UInt8]
    ) {
        space(&random, &text)
        switch element.kind {
        case .object: writeObject(element, at: path, signer, &random, to: &text)
        case .array:
            text.append(UInt8(ascii: "["))
            for (index, element) in element.elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                write(element, at: path + ["[]"], signer, &random, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .string:
            let isNested = path.last.map(nestedNames.contains) ?? false
            writeString(element.string ?? "", escapes: isNested && !random.oneIn(60) ? 0 : 12, &random, to: &text)
        default: text += element.bytes
        }
        space(&random, &text)
    }

    private static func writeObject(
        _ element: JSONElement, at path: [String], _ signer: JWSSigner, _ random: inout SeededGenerator,
        to text: inout [UInt8]
    ) {
        var members = element.members
        if random.oneIn(4) { members.shuffle(using: &random) }
        text.append(UInt8(ascii: "{"))
        var separator: [UInt8] = []
        func name(_ name: String, _ random: inout SeededGenerator, _ text: inout [UInt8]) {
            text += separator
            separator = [UInt8(ascii: ",")]
            space(&random, &text)
            writeString(name, escapes: random.oneIn(6) ? 3 : 0, &random, to: &text)
            space(&random, &text)
            text.append(UInt8(ascii: ":"))
        }
        if random.oneIn(5) {
            name("unheardOf", &random, &text)
            text += Array((random.pick(strangeValues) ?? "0").utf8)
        }
        for member in members {
            name(member.name, &random, &text)
            let isNested = nestedNames.contains(member.name)
            if isNested, random.oneIn(30) {
                text += Array((random.pick([#""""#, "null", "[]", #""a.b.c""#]) ?? "null").utf8)
            } else if isNested, random.oneIn(8), let jws = respelledJWS(member.value, signer, &random) {
                text += [UInt8(ascii: "\"")] + jws + [UInt8(ascii: "\"")]
            } else {
                write(member.value, at: path + [member.name], signer, &random, to: &text)
            }
        }
        if random.oneIn(40), let first = members.first {
            name(first.name, &random, &text)
            text += first.value.bytes
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Respells the payload of a nested JWS, or its base64 as some lenient decoders accept it.
    private static func respelledJWS(
        _ element: JSONElement, _ signer: JWSSigner, _ random: inout SeededGenerator
    ) -> [UInt8]? {
        guard let jws = element.string, let payload = try? CompactJWS.payload(jws) else { return nil }
        switch random.below(4) {
        case 0: return Array(jws.utf8) + [UInt8(ascii: "=")]
        case 1: return Array(jws.replacing("_", with: "\\/").utf8)
        default: return try? signer.sign(respelled(payload, signer, &random))
        }
    }

    /// Values that a parser might mistake for nested JWS texts.
    private static let strangeValues = [
        #"{"signedTransactionInfo":"","signedRenewalInfo":""}"#, #"[{"data":{"signedTransactionInfo":""}}]"#,
        #""\"signedTransactionInfo\":\"\"""#, #""\"data\":{\"signedRenewalInfo\":\"\"}""#, #""""#, "null",
        #"{"notification":{"data":{"signedTransactionInfo":""}},"proof":{}}"#, "1e3", "-0.0",
        #""\/\u00e9\ud83d\ude00""#,
    ]

    private static func writeString(
        _ string: String, escapes rate: Int, _ random: inout SeededGenerator, to text: inout [UInt8]
    ) {
        text.append(UInt8(ascii: "\""))
        for unit in string.unicodeScalars {
            let isPlain = unit.value >= 0x20 && unit != "\"" && unit != "\\"
            if isPlain, rate == 0 || !random.oneIn(rate) {
                text += Array(String(unit).utf8)
            } else if unit == "/" {
                text += Array("\\/".utf8)
            } else {
                for unit in String(unit).utf16 {
                    let digits = String(unit, radix: 16, uppercase: random.oneIn(2))
                    text += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
                }
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func space(_ random: inout SeededGenerator, _ text: inout [UInt8]) {
        guard random.oneIn(5) else { return }
        text += Array((random.pick([" ", "\n", "\t", "\r\n  ", "  "]) ?? "").utf8)
    }
}

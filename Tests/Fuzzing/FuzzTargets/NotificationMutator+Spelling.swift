import Foundation
import TestSupport

// Mutations that preserve or nearly preserve the content: the JSON around the JWS, base64, and character encodings.
extension NotificationMutator {
    /// Wraps an unchanged JWS in other JSON. Many of these texts are the same request to any JSON parser.
    func envelope(_ jws: String, _ random: inout SeededGenerator) -> [UInt8] {
        let texts = [
            " {\n\"signedPayload\" : \"\(jws)\"\r\n}\t", #"{"a":[1,{"b":null}],"signedPayload":"\#(jws)"}"#,
            #"{"signedPayload":"\#(jws)","signedPayload":"x"}"#, #"{"signedPayload":"x","signedPayload":"\#(jws)"}"#,
            #"{"signed\u0050ayload":"\#(jws)"}"#, #"{"SignedPayload":"\#(jws)"}"#, #"{"signedPayload":["\#(jws)"]}"#,
            #"[{"signedPayload":"\#(jws)"}]"#, #"{"data":{"signedPayload":"\#(jws)"}}"#, #""\#(jws)""#, jws,
            #"{"signedPayload":"\#(jws)","notification_type":"RENEWAL"}"#, #"{"notification_type":"\#(jws)"}"#,
            #"{"signedPayload":"\#(jws)"}{}"#, #"{"signedPayload":"\#(jws)",}"#, #"{"signedPayload":"\#(jws)\u0000"}"#,
            #"{"signedPayload":" \#(jws)"}"#, #"{"signedPayload":"\#(jws)\n"}"#, #"{'signedPayload':'\#(jws)'}"#,
            #"{"signedPayload":"\#(escaped(jws, &random))"}"#,
        ]
        return Array((random.pick(texts) ?? "").utf8)
    }

    /// Replaces some letters with escapes.
    private func escaped(_ jws: String, _ random: inout SeededGenerator) -> String {
        var text = ""
        for scalar in jws.unicodeScalars {
            if random.oneIn(200) {
                let digits = String(scalar.value, radix: 16, uppercase: random.oneIn(2))
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Respells segments in base64 that some decoders map to the same bytes.
    func respelled(_ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        var segments = parts.segments
        let place = random.below(3)
        let segment = segments[place]
        let padding = String(repeating: "=", count: (4 - segment.count % 4) % 4)
        switch random.below(7) {
        case 0: segments[place] += padding.isEmpty ? "====" : padding
        case 1: segments[place] = segment.replacing("-", with: "+").replacing("_", with: "/")
        case 2: segments[place] = withSpareBits(segment, &random)
        case 3: segments[place] = String(segment.dropLast(1 + random.below(3)))
        case 4: segments[place] += random.pick(["A", "AA", "AAA", "\\n", " ", "%3D", ".", "\\u00ad"]) ?? ""
        case 5: segments = segments.shuffled(using: &random)
        default: segments[place] = JWSParts.base64url(Array(segment.utf8))
        }
        return JWSParts.body(segments.joined(separator: "."))
    }

    /// Sets unused bits of the last character.
    private func withSpareBits(_ segment: String, _ random: inout SeededGenerator) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = segment.last, let value = alphabet.firstIndex(of: last) else { return segment }
        return String(segment.dropLast()) + String(alphabet[value ^ (1 + random.below(3))])
    }

    /// Encodes the whole body, or its JSON texts, in another character encoding.
    func encodedOtherwise(_ body: [UInt8], _ parts: JWSParts, _ random: inout SeededGenerator) -> [UInt8] {
        let text = String(decoding: body, as: UTF8.self)
        var parts = parts
        switch random.below(7) {
        case 0: return [0xEF, 0xBB, 0xBF] + body
        case 1: return Array(text.data(using: random.oneIn(2) ? .utf16 : .utf16LittleEndian) ?? Data())
        case 2: return Array("signedPayload=\(parts.jws)".utf8)
        case 3: return Array((text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "").utf8)
        case 4: return Array(JWSParts.base64(body).utf8)
        case 5:
            // Rewrites the header with another order and spacing.
            let header = try? JSONSerialization.jsonObject(with: Data(parts.header))
            let options: JSONSerialization.WritingOptions = random.oneIn(2) ? [.sortedKeys] : [.prettyPrinted]
            parts.header =
                header.flatMap { try? JSONSerialization.data(withJSONObject: $0, options: options) }.map(Array.init)
                ?? []
            return parts.body
        default:
            let payload = try? JSONSerialization.jsonObject(with: Data(parts.payload))
            parts.payload =
                payload.flatMap { try? JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys]) }
                .map(Array.init) ?? []
            return parts.body
        }
    }
}

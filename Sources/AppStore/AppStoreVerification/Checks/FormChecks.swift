internal import Cryptography
internal import JSON
internal import Primitives

/// Checks 3 to 5, which run before any certificate is examined.
enum FormChecks {
    enum Content {
        /// The text of `signedPayload`, as a slice of the body if it contains no escapes.
        case signedPayload(ArraySlice<UInt8>)
        /// A body with `notification_type` but without `signedPayload`: version 1 or a status update.
        case legacy(JSONDocument)
    }

    /// Check 3: the body is one JSON object with exactly one `signedPayload` string. Other members are ignored. Names
    /// and array elements are limited to a thousand each, or to more in a version 1 body. The version is known only
    /// after parsing.
    static func content(of body: [UInt8], _ limits: BodyLimits) throws(Refusal) -> Content {
        let document: JSONDocument
        do throws(JSONError) {
            document = try self.document(body, limits)
        } catch {
            switch error.code {
            case .empty: throw Refusal(.empty, "the body is empty")
            case .duplicateName: throw Refusal(.jsonDuplicate, "an object in the body has a duplicate member")
            default: throw Refusal(.json, "the body is not JSON")
            }
        }
        let root = document.root
        // A value other than an object has no members, so it is also rejected here.
        guard let member = root["signedPayload"] else {
            // A body with a password passes even if its `notification_type` is not a string: if the password is
            // correct, the body is stored despite being malformed.
            guard let type = root["notification_type"], type.kind == .string || root["password"] != nil else {
                throw Refusal(.jsonShape, "the body has no signedPayload")
            }
            return .legacy(document)
        }
        guard root["notification_type"] == nil else {
            throw Refusal(.jsonShape, "the body has both signedPayload and notification_type")
        }
        guard member.kind == .string else { throw Refusal(.jsonShape, "signedPayload is not a string") }
        guard body.count <= limits.signedBytes else {
            throw Refusal(.tooLarge, "the body is too long for a signed notification")
        }
        // A JWS never needs escapes, but JSON allows any character to be escaped.
        if let range = member.plainTextRange { return .signedPayload(body[range]) }
        return .signedPayload(Array((member.string ?? "").utf8)[...])
    }

    /// The maximum number of names, and of array elements, in any body.
    private static let maximumUntrusted = JSONDocument.maximumUntrustedNames
    /// The maximum number of members in one object of a version 1 body. A transaction has about 25.
    private static let maximumLegacyMembers = 128

    /// Parses the body. A version 1 body has a member for each field of up to a hundred transactions, so it may have
    /// more names than other bodies. Its password can be checked only after parsing, so the cost of parsing is limited.
    private static func document(_ body: [UInt8], _ limits: BodyLimits) throws(JSONError) -> JSONDocument {
        var scanned = JSONLimits()
        (scanned.names, scanned.elements) = (maximumUntrusted, maximumUntrusted)
        do throws(JSONError) {
            return try JSONDocument(body, limits: scanned)
        } catch {
            let isLarge = error.code == .tooManyNames || error.code == .tooManyElements
            guard isLarge, limits.legacyEntries > maximumUntrusted else { throw error }
            (scanned.names, scanned.elements) = (limits.legacyEntries, limits.legacyEntries)
            scanned.members = maximumLegacyMembers
            let document = try JSONDocument(body, limits: scanned)
            guard document.root["notification_type"] != nil else { throw error }
            return document
        }
    }

    /// The ranges of the three segments of a compact JWS.
    struct Segments {
        let header: Range<Int>
        let payload: Range<Int>
        let signature: Range<Int>
    }

    /// Check 4: splits a compact JWS into three segments of strict base64url, separated by dots (RFC 7515 section 7.1).
    /// This function only counts dots; characters are checked when a segment is decoded.
    static func segments(of jws: ArraySlice<UInt8>) throws(Refusal) -> Segments {
        var dots: [Int] = []
        for at in jws.indices where jws[at] == UInt8(ascii: ".") {
            guard dots.count < 2 else { throw Refusal(.jwsForm, "not three segments") }
            dots.append(at)
        }
        guard dots.count == 2 else { throw Refusal(.jwsForm, "not three segments") }
        guard dots[0] > jws.startIndex, dots[1] > dots[0] + 1 else { throw Refusal(.jwsForm, "an empty segment") }
        return Segments(
            header: jws.startIndex..<dots[0], payload: dots[0] + 1..<dots[1], signature: dots[1] + 1..<jws.endIndex)
    }

    /// Decodes a segment.
    static func decode(_ segment: Range<Int>, of jws: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
        let decoded = jws[segment].withUnsafeBytes { try? Base64URL.decode($0) }
        guard let decoded else { throw failure(of: jws) }
        return decoded
    }

    /// Returns the refusal for text that is not a JWS, or for a JWS in the wrong base64 variant, considering all
    /// segments.
    private static func failure(of jws: ArraySlice<UInt8>) -> Refusal {
        let dots = jws.count { $0 == UInt8(ascii: ".") }
        let isForeign = jws.contains { byte in
            byte != UInt8(ascii: ".") && withUnsafeBytes(of: byte) { Base64URL.hasForeignByte($0) }
        }
        return isForeign || dots != 2
            ? Refusal(.jwsForm, "a character is not base64url") : Refusal(.jwsBase64, "not canonical base64url")
    }

    private static let es256 = Array("ES256".utf8)

    /// Check 5: `alg` is exactly `ES256`. The algorithm is fixed; the header can only confirm it (RFC 8725 section
    /// 3.1).
    static func checkAlgorithm(of header: JWSHeader) throws(Refusal) {
        // Comparing bytes rejects "ES256\u0000" and Unicode look-alikes.
        guard let algorithm = header.algorithm, Array(algorithm.utf8) == es256 else {
            throw Refusal(.algorithm, "alg is not ES256")
        }
    }
}

/// The JWS header members that are used. All others, such as `kid`, `jwk`, `jku` and `x5u`, are ignored, and no URL in
/// them is fetched.
struct JWSHeader {
    /// `alg`, or nil if it is absent or not a string.
    let algorithm: String?
    /// `x5c`, or nil if it is absent or not an array of strings.
    let certificateTexts: [String]?
    /// Whether `crit` or `b64` is present (RFC 7515 section 4.1.11, RFC 7797).
    let hasCriticalMembers: Bool

    /// The maximum length of `x5c`. The elements of a longer array are not read.
    private static let greatestCount = 4

    /// - Throws: a refusal with `jws_header` if the bytes are not a single unambiguous JSON object.
    init(_ bytes: [UInt8]) throws(Refusal) {
        guard
            let document = try? JSONDocument.object(bytes, maximumNames: JSONDocument.maximumUntrustedNames)
        else {
            throw Refusal(.jwsHeader, "the header is not a JSON object")
        }
        let root = document.root
        algorithm = root["alg"]?.string
        certificateTexts = root["x5c"].flatMap(Self.texts)
        hasCriticalMembers = root["crit"] != nil || root["b64"] != nil
    }

    private static func texts(_ element: JSONElement) -> [String]? {
        guard element.kind == .array else { return nil }
        let elements = element.elements
        guard elements.count <= greatestCount else { return nil }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string else { return nil }
            texts.append(text)
        }
        return texts
    }
}

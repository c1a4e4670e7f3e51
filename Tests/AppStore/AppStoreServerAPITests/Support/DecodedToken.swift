import Cryptography
import JSON
import TestSupport

/// A JWT, decoded and verified independently of the code that created it.
struct DecodedToken {
    let header: JSONObject
    let claims: JSONObject
    private let signed: [UInt8]
    private let signature: [UInt8]

    init(_ token: String) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = CompactJWS.decode(parts[0]), let claims = CompactJWS.decode(parts[1]),
            let signature = CompactJWS.decode(parts[2]), let object = try JSONValue(json: header).object,
            let members = try JSONValue(json: claims).object
        else { throw Unexpected("the token does not have three parts") }
        self.header = object
        self.claims = members
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    func isSigned(byKeyIn pem: [UInt8]) throws -> Bool {
        guard let key = try PrivateKey(pem: pem).publicKey else { return false }
        guard case .valid = key.verify(digest: SHA256.digest(of: signed), rawSignature: signature) else { return false }
        return true
    }
}

internal import AppStoreModel
internal import JSON

/// Part of check 14: a signed payload is one JSON object in UTF-8, of bounded depth, no member twice.
enum EncodingCheck {
    static func document(_ payload: [UInt8], of object: String) throws(Rejection) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument.object(payload)
        } catch {
            switch error.code {
            case .duplicateName: throw .nonconforming(.profileDuplicate, detail: "\(object): a member twice")
            case .controlCharacter: throw .nonconforming(.profileText, detail: "\(object): a control character")
            default: throw .nonconforming(.profileEncoding, detail: "\(object): not a JSON object")
            }
        }
    }
}

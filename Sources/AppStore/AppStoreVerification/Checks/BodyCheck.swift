internal import AppStoreModel
internal import JSON

/// Check 3: the body is one JSON object with exactly one text `signedPayload`; other members are ignored.
enum BodyCheck {
    enum Content {
        /// The text of `signedPayload`.
        case signedPayload([UInt8])
        /// `notification_type` without `signedPayload`: version 1 or a status update.
        case legacy
    }

    static func content(of body: [UInt8]) throws(Rejection) -> Content {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(body)
        } catch {
            throw rejection(error)
        }
        let root = document.root
        // What is no object has no member.
        guard let member = root["signedPayload"] else {
            guard root["notification_type"]?.kind == .string else {
                throw refused(.jsonShape, "the body has no signedPayload")
            }
            return .legacy
        }
        guard root["notification_type"] == nil else {
            throw refused(.jsonShape, "the body has both signedPayload and notification_type")
        }
        guard member.kind == .string else { throw refused(.jsonShape, "signedPayload is not a text") }
        // A JWS has no letter that needs an escape, but JSON allows any letter to be written as one.
        if let range = member.plainTextRange { return .signedPayload(Array(body[range])) }
        return .signedPayload(Array((member.string ?? "").utf8))
    }

    private static func rejection(_ error: JSONError) -> Rejection {
        switch error.code {
        case .empty: refused(.empty, "the body is empty")
        case .duplicateName: refused(.jsonDuplicate, "an object of the body names a member twice")
        default: refused(.json, "the body is not JSON")
        }
    }

    private static func refused(_ reason: Reason, _ detail: String) -> Rejection {
        .refused(Refusal(reason, at: .body, .badRequest, detail: detail))
    }
}

internal import JSON

/// Parses the JSON object of a request.
enum RequestBody {
    /// - Parameters:
    ///   - members: the names that Apple documents.
    ///   - error: thrown if the body is not a JSON object or has members with other names.
    static func object(
        _ body: [UInt8], members: Set<String>, otherwise error: ServerAPIError
    ) throws(ServerAPIError) -> JSONObject {
        guard let object = (try? JSONValue(json: body))?.object, object.names.allSatisfy({ members.contains($0) })
        else { throw error }
        return object
    }
}

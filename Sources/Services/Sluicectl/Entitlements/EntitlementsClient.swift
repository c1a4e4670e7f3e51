internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import HTTPClient
internal import JSON
internal import Lifecycle
internal import Records

/// A client for the read API of sluice-entitlements, with errors for operators.
struct EntitlementsClient {
    let configuration: Configuration

    private var base: String {
        let url = configuration[OperationsSettings.entitlementsURL]
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// The selected environment, as the API spells it.
    var environment: String { configuration[OperationsSettings.environment].rawValue }

    func get(_ path: String, _ parameters: [(String, String)]) async throws(StartupError) -> [UInt8] {
        try await send(
            HTTPClientRequest(
                url: base + Self.target(path, parameters), headers: headers))
    }

    func post(_ path: String, _ body: JSONObject) async throws(StartupError) -> [UInt8] {
        try await send(
            HTTPClientRequest(
                method: "POST", url: base + path, headers: headers,
                // The service waits for Kafka before it responds.
                body: JSONValue.object(body).json, timeout: .seconds(60)))
    }

    private var headers: [(String, String)] {
        let key = configuration[OperationsSettings.entitlementsKey]?.contents.revealedBytes
        return [("Accept", "application/json")]
            + (key.map { [("Authorization", "Bearer " + String(decoding: $0, as: UTF8.self))] } ?? [])
    }

    /// Parses a response body as a JSON object.
    func object(_ body: [UInt8]) throws(StartupError) -> JSONObject {
        guard case .object(let answer)? = try? JSONValue(json: body) else { throw unexpected(200) }
        return answer
    }

    static let unknownFix =
        "Check the id and --environment; a purchase exists after its first notification has been handled"

    /// Parses a response about a subject. Throws if the service does not know the subject.
    func known(_ body: [UInt8]) throws(StartupError) -> JSONObject {
        let answer = try object(body)
        guard answer["known"]?.bool != false else {
            throw StartupError("no purchase has this id", fix: Self.unknownFix)
        }
        return answer
    }

    static func target(_ path: String, _ parameters: [(String, String)]) -> String {
        guard !parameters.isEmpty else { return path }
        return path + "?" + parameters.map { "\($0.0)=\(percentEncoded($0.1))" }.joined(separator: "&")
    }

    private static func percentEncoded(_ text: String) -> String {
        let hexadecimal = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private func send(_ request: HTTPClientRequest) async throws(StartupError) -> [UInt8] {
        let client = HTTPClient()
        defer { client.close() }
        let response: HTTPClientResponse
        do {
            response = try await client.send(request)
        } catch {
            throw StartupError(
                "sluice-entitlements is unreachable: \(error.message)",
                setting: OperationsSettings.entitlementsURL.key,
                fix: "Start sluice-entitlements, or set \(OperationsSettings.entitlementsURL.key) to its address")
        }
        guard response.status == 200 else { throw response.status == 401 ? unauthorized : refusal(response) }
        return response.body
    }

    /// Returns an error with the service's own message, if the response has one.
    private func refusal(_ response: HTTPClientResponse) -> StartupError {
        guard let problem = (try? JSONValue(json: response.body))?.object, let message = problem["message"]?.string
        else { return unexpected(response.status) }
        let fix =
            switch response.status {
            case 404: Self.unknownFix
            case 403:
                problem["error"]?.string == "read_only_key"
                    ? "Set \(OperationsSettings.entitlementsKey.key) to a file with a key that allows changes"
                    : "Start sluice-entitlements with entitlements.changes=true"
            case 409: "Check the purchase with: sluicectl entitlements show"
            case 503: "Try again"
            default: "Correct the arguments"
            }
        return StartupError(PlainText.printable(message), fix: fix)
    }

    private var unauthorized: StartupError {
        StartupError(
            "sluice-entitlements requires a valid key", setting: OperationsSettings.entitlementsKey.key,
            fix: "Specify a file with a key that is listed in \(Self.keysFile)")
    }

    private static let keysFile = "http.keys.file"

    private func unexpected(_ status: Int) -> StartupError {
        StartupError(
            "the server at \(base) is not sluice-entitlements (status \(status))",
            setting: OperationsSettings.entitlementsURL.key,
            fix: "Set \(OperationsSettings.entitlementsURL.key) to the address of sluice-entitlements")
    }
}

internal import AppStoreModel
internal import Configuration
internal import Foundation
internal import HTTPClient
internal import Lifecycle
internal import NotificationRecord

/// `sluicectl entitlements show`: asks the read API of sluice-entitlements.
struct EntitlementsCommand {
    let configuration: Configuration

    func show(_ id: String, _ console: Console) async throws -> ExitCode {
        let body = try await answer(to: Self.target(id, configuration))
        switch configuration[OperationsSettings.output] {
        // As the service gave it.
        case .json: await console.write(line: body)
        case .text:
            guard case .object(let answer)? = try? JSONValue(json: body) else { throw unexpected(200) }
            await console.write(EntitlementsText.text(answer))
        }
        return .ok
    }

    /// The request's target: a UUID is an appAccountToken, everything else an originalTransactionId.
    static func target(_ id: String, _ configuration: Configuration) -> String {
        let subject = UUID(uuidString: id) == nil ? "originalTransactionId" : "appAccountToken"
        var parameters = [
            (subject, id), ("environment", configuration[OperationsSettings.environment].environment.rawValue),
        ]
        if let at = configuration[OperationsSettings.entitledAt] { parameters.append(("at", at.description)) }
        let query = parameters.map { "\($0.0)=\(percentEncoded($0.1))" }.joined(separator: "&")
        return "/v1/entitlements?\(query)"
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

    private var base: String {
        let url = configuration[OperationsSettings.entitlementsURL]
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    private func answer(to target: String) async throws(StartupError) -> [UInt8] {
        let client = HTTPClient()
        defer { client.close() }
        let response: HTTPClientResponse
        do {
            response = try await client.send(
                HTTPClientRequest(url: base + target, headers: [("Accept", "application/json")]))
        } catch {
            throw StartupError(
                "sluice-entitlements does not answer: \(error.message)",
                setting: OperationsSettings.entitlementsURL.key,
                fix: "Start sluice-entitlements, or set \(OperationsSettings.entitlementsURL.key) to where it listens")
        }
        guard response.status == 200 else { throw refusal(response) }
        return response.body
    }

    /// The service's own words, where it has any.
    private func refusal(_ response: HTTPClientResponse) -> StartupError {
        guard let problem = (try? JSONValue(json: response.body))?.object, let message = problem["message"]?.string
        else { return unexpected(response.status) }
        let fix =
            response.status == 404
            ? "Look at the id and at --environment; a purchase is known once its first notification was handled"
            : response.status == 503 ? "Try again" : "Correct the arguments"
        return StartupError(PlainText.printable(message), fix: fix)
    }

    private func unexpected(_ status: Int) -> StartupError {
        StartupError(
            "the answer of \(base) is not one of sluice-entitlements (status \(status))",
            setting: OperationsSettings.entitlementsURL.key,
            fix: "Set \(OperationsSettings.entitlementsURL.key) to where sluice-entitlements listens")
    }
}

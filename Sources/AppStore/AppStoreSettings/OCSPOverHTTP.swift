internal import AppStoreVerification
package import HTTPClient

/// Sends OCSP requests over HTTP, without redirects or a proxy, and limits the size of responses.
package struct OCSPOverHTTP: OCSPRequester {
    private static let maximumAnswer = 64 * 1024

    private let client: HTTPClient

    package init(client: HTTPClient) { self.client = client }

    package struct BadStatus: Error {
        package let status: Int
    }

    package func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8] {
        let response = try await client.send(
            HTTPClientRequest(
                method: "POST", url: address,
                headers: [
                    ("Content-Type", "application/ocsp-request"), ("Accept", "application/ocsp-response"),
                ],
                body: request, timeout: timeout, connectTimeout: .seconds(2), maximumBodyBytes: Self.maximumAnswer))
        guard response.status == 200 else { throw BadStatus(status: response.status) }
        return response.body
    }
}

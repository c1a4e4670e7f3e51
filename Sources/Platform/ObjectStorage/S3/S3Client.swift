internal import Cryptography
package import HTTPClient
package import Primitives

/// Signs and sends requests, and retries them after transient failures.
package struct S3Client: Sendable {
    /// The dependencies. Tests replace them to avoid the network and waiting.
    package struct Surroundings: Sendable {
        package var send: @Sendable (HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse
        /// Returns the current key.
        package var credentials: @Sendable () async throws(ObjectStoreError) -> S3Credentials
        package var clocks: Clocks
        /// Sleeps. Returns early if the task is cancelled.
        package var sleep: @Sendable (Duration) async -> Void
        /// Returns a random number from 0 to 1.
        package var random: @Sendable () -> Double

        package init(
            send: @escaping @Sendable (HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse,
            credentials: @escaping @Sendable () async throws(ObjectStoreError) -> S3Credentials,
            clocks: Clocks = .system,
            sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
            random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
        ) {
            self.send = send
            self.credentials = credentials
            self.clocks = clocks
            self.sleep = sleep
            self.random = random
        }
    }

    let configuration: S3Configuration
    let surroundings: Surroundings

    /// A response, and whether an earlier attempt may have had an effect.
    struct Outcome {
        let response: HTTPClientResponse
        /// Whether the service may have executed an earlier attempt.
        let followsAmbiguity: Bool
    }

    /// Sends a request, and retries it after transient failures. Returns the first response, with any status, that is
    /// not a transient failure.
    ///
    /// - Parameter accept: checks a response with a success status. It returns false if the response was damaged in
    ///   transit.
    /// - Throws: ``ObjectStoreError``: `unavailable` if no attempts are left, `corrupt` if the last response was
    ///   damaged, `denied` if there is no key or the TLS handshake fails, `failed` if the request cannot be sent.
    func send(
        _ call: S3Call, accept: (HTTPClientResponse) -> Bool = { _ in true }
    ) async throws(ObjectStoreError) -> Outcome {
        var isAmbiguous = false
        var last = ObjectStoreError(.unavailable, "cannot \(call.action): no attempts are allowed")
        for attempt in 0..<max(1, configuration.attempts) {
            if attempt > 0 {
                if Task.isCancelled { throw last }
                await surroundings.sleep(backoff(attempt))
            }
            let credentials: S3Credentials
            do throws(ObjectStoreError) {
                credentials = try await surroundings.credentials()
            } catch {
                guard error.code == .unavailable else { throw error }
                last = error
                continue
            }
            do throws(HTTPClientError) {
                let response = try await surroundings.send(try request(call, credentials))
                guard let problem = problem(in: response, call) else {
                    if accept(response) { return Outcome(response: response, followsAmbiguity: isAmbiguous) }
                    last = ObjectStoreError(.corrupt, "cannot \(call.action): the response does not match its checksum")
                    continue
                }
                guard problem.isRetriable else { return Outcome(response: response, followsAmbiguity: isAmbiguous) }
                isAmbiguous = isAmbiguous || problem.isAmbiguous
                last = problem.error(call.action)
            } catch {
                // A connection may break after the service has executed the request.
                isAmbiguous = isAmbiguous || error.code != .overloaded
                last = ObjectStoreError(.unavailable, "cannot \(call.action): \(error.message)")
                guard error.isRetriable || isTransient(error) else {
                    throw ObjectStoreError(error.code == .tls ? .denied : .failed, last.message)
                }
            }
        }
        throw last
    }

    /// Returns the problem in a response, or nil if the request succeeded.
    private func problem(in response: HTTPClientResponse, _ call: S3Call) -> S3Problem? {
        guard (200..<300).contains(response.status) else { return S3Problem(response) }
        guard call.mayFailLate else { return nil }
        let late = S3Problem(response, status: 500)
        return late.code.isEmpty ? nil : late
    }

    /// Returns a random wait between zero and a limit that doubles with each attempt ("full jitter"), so that clients
    /// do not retry simultaneously.
    private func backoff(_ attempt: Int) -> Duration {
        let limit = min(configuration.longestBackoff, configuration.firstBackoff * (1 << min(attempt - 1, 20)))
        return limit * surroundings.random()
    }

    /// Whether an error without a specific code in ``HTTPClientError``, such as a truncated response, is transient.
    private func isTransient(_ error: HTTPClientError) -> Bool {
        // These errors are transient; CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP_RETURNED_ERROR and CURLE_ABORTED_BY_CALLBACK
        // are not.
        let partialFile: Int32 = 18
        let gotNothing: Int32 = 52
        let sendError: Int32 = 55
        let receiveError: Int32 = 56
        return [partialFile, gotNothing, sendError, receiveError].contains(error.curlCode)
    }

    private func request(_ call: S3Call, _ credentials: S3Credentials) throws(HTTPClientError) -> HTTPClientRequest {
        let path = "/\(configuration.bucket)" + (call.name.map { "/\(key($0))" } ?? "")
        let digest = SHA256.digest(of: call.body)
        var headers = call.headers
        headers.append(("host", configuration.host))
        let signed: [(name: String, value: String)]
        do throws(CryptographyError) {
            signed = try RequestSignature(credentials: credentials, region: configuration.region)
                .headers(
                    for: RequestSignature.Input(
                        method: call.method, path: path, query: call.query, headers: headers, bodyDigest: digest.hex),
                    now: surroundings.clocks.wallMilliseconds())
        } catch {
            throw HTTPClientError(code: .invalidRequest, message: "failed to sign the request: \(error.message)")
        }
        let query = call.query.isEmpty ? "" : "?" + RequestSignature.query(call.query)
        return HTTPClientRequest(
            method: call.method, url: configuration.endpoint + path + query, headers: call.headers + signed,
            body: call.method == "PUT" || call.method == "POST" ? call.body : nil,
            timeout: configuration.requestTimeout,
            maximumBodyBytes: call.maximumAnswerBytes)
    }

    /// Returns an object's key in the bucket. Names need no percent-encoding.
    func key(_ name: ObjectName) -> String { configuration.prefix.map { "\($0)/\(name)" } ?? name.text }

    /// Returns an object's URL, for error messages.
    func url(_ name: ObjectName?) -> String {
        "s3://\(configuration.bucket)" + (name.map { "/\(key($0))" } ?? "")
    }
}

internal import CRdKafka
internal import Glibc

/// Provides a client with a token when librdkafka requests one.
struct TokenRefresh: Sendable {
    let source: KafkaTokenSource?

    /// Requests a token and passes it to the client. Does not wait.
    func begin(for handle: KafkaHandle) {
        guard let source else { return }
        // The task need not be awaited, because librdkafka repeats its request until it has a token. The task keeps the
        // handle alive.
        Task {
            do throws(KafkaTokenError) {
                Self.set(try await source.token(), on: handle)
            } catch {
                Self.fail("\(error)", on: handle)
            }
        }
    }

    private static func set(_ token: KafkaToken, on handle: KafkaHandle) {
        // librdkafka copies the strings.
        let texts: [UnsafeMutablePointer<CChar>?] = token.extensions.sorted { $0.key < $1.key }.flatMap { name, value in
            [strdup(name), strdup(value)]
        }
        defer { for text in texts { free(text) } }
        var pointers: [UnsafePointer<CChar>?] = texts.map { UnsafePointer($0) }
        var reason = [CChar](repeating: 0, count: 512)
        let code = rd_kafka_oauthbearer_set_token(
            handle.client.raw, token.value, token.expiry, token.principal, &pointers, pointers.count, &reason,
            reason.count)
        if code != RD_KAFKA_RESP_ERR_NO_ERROR { fail(String(terminated: reason), on: handle) }
    }

    private static func fail(_ reason: String, on handle: KafkaHandle) {
        rd_kafka_oauthbearer_set_token_failure(handle.client.raw, reason)
    }
}

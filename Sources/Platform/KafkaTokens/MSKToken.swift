internal import Bytes
internal import Cryptography
package import Kafka
package import ObjectStorage

/// Tokens for Amazon MSK with IAM: a request for `kafka-cluster:Connect` that is signed with AWS Signature Version 4 in
/// its query, in base64url.
///
/// Source: aws/aws-msk-iam-sasl-signer-python, `MSKAuthTokenProvider`.
package struct MSKToken: Sendable {
    /// Seconds for which a token is valid; brokers allow no more.
    private static let life: Int64 = 900

    package let region: String

    package init(region: String) { self.region = region }

    /// A token of this key.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func token(of key: AWSCredentials.Key, now: Int64) throws(KafkaTokenFailure) -> KafkaToken {
        let host = "kafka.\(region).amazonaws.com"
        let signature = RequestSignature(credentials: key.key, region: region, service: "kafka-cluster")
        let query: String
        do throws(CryptographyError) {
            query = try signature.presignedQuery(
                host: host, parameters: [(name: "Action", value: "kafka-cluster:Connect")], expires: Self.life, now: now
            )
        } catch {
            throw KafkaTokenFailure("the token cannot be signed: \(error.message)")
        }
        let url = "https://\(host)/?\(query)&User-Agent=sluice"
        return KafkaToken(
            value: String(decoding: Base64URL.encode(Array(url.utf8)), as: UTF8.self), principal: "sluice",
            expiry: min(now + Self.life * 1000, key.expiry ?? .max))
    }
}

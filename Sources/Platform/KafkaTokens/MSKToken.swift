internal import Cryptography
package import Kafka
package import ObjectStorage
internal import Primitives

/// Creates tokens for Amazon MSK with IAM. A token is a presigned request for `kafka-cluster:Connect` (AWS Signature
/// Version 4), encoded as base64url.
///
/// Source: aws/aws-msk-iam-sasl-signer-python, `MSKAuthTokenProvider`.
package struct MSKToken: Sendable {
    /// The lifetime of a token in seconds: the maximum that brokers allow.
    private static let life: Int64 = 900

    package let region: String

    package init(region: String) { self.region = region }

    /// Creates a token signed with this key.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func token(of key: AWSCredentials.Key, now: Int64) throws(KafkaTokenError) -> KafkaToken {
        let host = "kafka.\(region).amazonaws.com"
        let signature = RequestSignature(credentials: key.key, region: region, service: "kafka-cluster")
        let query: String
        do throws(CryptographyError) {
            query = try signature.presignedQuery(
                host: host, parameters: [(name: "Action", value: "kafka-cluster:Connect")], expires: Self.life, now: now
            )
        } catch {
            throw KafkaTokenError("failed to sign the token: \(error.message)")
        }
        let url = "https://\(host)/?\(query)&User-Agent=sluice"
        return KafkaToken(
            value: String(decoding: Base64URL.encode(Array(url.utf8)), as: UTF8.self), principal: "sluice",
            expiry: min(now + Self.life * 1000, key.expiry ?? .max))
    }
}

// Tokens for brokers with SASL OAUTHBEARER.

private let credentials = MutatedFile(
    .consumer, "tokens", "Platform/KafkaTokens/ClientCredentials.swift", suites: "ClientCredentialsTests")
private let requests = MutatedFile(
    .consumer, "tokens", "Platform/ObjectStorage/S3/CredentialRequests.swift", suites: "ClientCredentialsTests")
private let cache = MutatedFile(.consumer, "tokens", "Platform/KafkaTokens/TokenCache.swift", suites: "TokenCacheTests")
private let aws = MutatedFile(
    .consumer, "tokens", "Platform/ObjectStorage/S3/AWSCredentials.swift", suites: "AWSCredentialsTests")
private let msk = MutatedFile(.consumer, "tokens", "Platform/KafkaTokens/MSKToken.swift", suites: "MSKTokenTests")
private let settings = MutatedFile(
    .consumer, "tokens", "Platform/KafkaTokens/KafkaTokenSettings.swift", suites: "KafkaTokenSettingsTests")

enum TokenMutants {
    static let all: [Mutant] = [
        credentials.mutant("token-ends-first", "ends.min() ?? Self.assumedLife", "ends.max() ?? Self.assumedLife"),
        credentials.mutant("token-of-a-jwt", "segments.count == 3", "false"),
        requests.mutant("token-refused-by-status", "[400, 401, 403, 404].contains(response.status)", "true"),
        cache.mutant("token-renewed", "(held.token.expiry - held.time) / 2", "(held.token.expiry - held.time) * 2"),
        cache.mutant("token-of-another-clock", "held.time <= time", "true"),
        aws.mutant("key-over-tls", #"url.hasPrefix("https://") || Self.isOfThisHost(url)"#, "true"),
        msk.mutant("token-ends-with-its-key", "key.expiry ?? .max", ".max"),
        settings.mutant("secret-over-tls", #"url.hasPrefix("https://") || isLocal"#, "true"),
        settings.mutant("tokens-over-sasl", #"protocolName?.lowercased().hasPrefix("sasl_") == true"#, "true"),
    ]
}

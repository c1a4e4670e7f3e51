// The causes of broker connection failures, and the messages for operators.

private let trouble = MutatedFile(
    .consumer, "trouble", "Platform/Kafka/Client/KafkaTrouble.swift", suites: "KafkaTroubleTests")
private let record = MutatedFile(
    .consumer, "trouble", "Platform/Kafka/Client/KafkaTroubleRecord.swift", suites: "KafkaTroubleRecordTests")
private let verdict = MutatedFile(
    .consumer, "trouble", "Platform/Kafka/Client/CertificateVerdict.swift", suites: "KafkaConnectionTroubleTests")
private let health = MutatedFile(
    .consumer, "trouble", "Pipeline/PipelineRuntime/Group/PipelineHealth.swift", suites: "PipelineHealthTests")
private let failures = MutatedFile(
    .consumer, "trouble", "Pipeline/PipelineRuntime/Group/ReadingFailures.swift", suites: "PipelineHealthTests")

enum TroubleMutants {
    static let all: [Mutant] = [
        trouble.mutant("nonce-by-version", "version < firstWithFreshNonces", "true"),
        trouble.mutant("token-refusal", "text.contains(KafkaTokenError.refusal)", "false"),
        trouble.mutant("trouble-without-times", #"line.hasSuffix(")")"#, "false"),
        record.mutant("trouble-ranked", "connection.trouble.cause.rank > trouble.cause.rank", "false"),
        record.mutant("trouble-forgotten", "now - connection.time < Self.memory", "true"),
        record.mutant("denial-forgotten", "now - $0.time < Self.memory", "true"),
        verdict.mutant("certificate-refused", "code.pointee != 0", "false"),
        verdict.mutant("certificate-reason", #"error.message.contains(text)"#, "false"),
        health.mutant("trouble-ends-with-a-broker", "count > 0", "false"),
        failures.mutant("instance-name-twice", "[.fenced, .fencedInstance].contains(error.code)", "false"),
    ]
}

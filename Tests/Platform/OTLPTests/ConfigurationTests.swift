import CommandLine
import Configuration
import HTTPClient
import TestSupport
import Testing
import Tracing

@testable import OTLP

/// Source: OpenTelemetry, "Environment variable specification" and "OTLP exporter configuration".
@Suite struct ConfigurationTests {
    private struct Refused: Error {}

    private let command = Command(
        "test", summary: "", schema: ConfigurationSchema(OTLPSettings.all + HTTPClientSettings.all))

    private func configuration(_ environment: [String: String], _ flags: [String] = []) throws -> OTLPConfiguration {
        guard case .run(let invocation) = command.parse(flags, environment: environment) else {
            throw Refused()
        }
        return try OTLPConfiguration(invocation.configuration)
    }

    @Test func `nothing is exported unless an exporter is set`() throws {
        for environment in [
            [:], ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"], ["OTEL_TRACES_EXPORTER": "none"],
            ["OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "TRUE"], ["OTEL_TRACES_EXPORTER": ""],
        ] {
            let configuration = try configuration(environment)
            #expect(configuration.tracesURL == nil && configuration.metricsURL == nil)
        }
    }

    @Test func `the standard variables configure the export`() throws {
        let configuration = try configuration([
            "OTEL_TRACES_EXPORTER": "otlp", "OTEL_METRICS_EXPORTER": "otlp",
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector:4318/base", "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
            "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x-tenant = 7", "OTEL_METRIC_EXPORT_INTERVAL": "15000",
            "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://metrics:9/in", "OTEL_SERVICE_NAME": "ingress-eu",
            "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,deployment.environment.name=prod%2Ceu",
            "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25",
            "OTEL_BSP_SCHEDULE_DELAY": "1s", "OTEL_BSP_MAX_QUEUE_SIZE": "100", "OTEL_LOGS_EXPORTER": "console",
        ])
        #expect(configuration.tracesURL == "https://collector:4318/base/v1/traces")
        #expect(configuration.metricsURL == "http://metrics:9/in")
        #expect(configuration.timeout == .milliseconds(2_500) && configuration.metricInterval == .seconds(15))
        #expect(configuration.headers.map { "\($0.name): \($0.value)" } == ["api-key: a b", "x-tenant: 7"])
        #expect(
            configuration.resource == [
                ResourceAttribute(key: "deployment.environment.name", value: "prod,eu"),
                ResourceAttribute(key: "service.name", value: "ingress-eu"),
            ])
        #expect(configuration.sampler == Sampler(.parentRatio, ratio: 0.25))
        #expect(configuration.scheduleDelay == .seconds(1) && configuration.queueSize == 100)
    }

    @Test func `the program's own variable and a flag override the standard variable`() throws {
        let environment = [
            "OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://standard",
            "SLUICE_OTEL_EXPORTER_OTLP_ENDPOINT": "http://own",
        ]
        #expect(try configuration(environment).tracesURL == "http://own/v1/traces")
        let flags = ["--otel.exporter.otlp.endpoint", "http://flag/"]
        #expect(try configuration(environment, flags).tracesURL == "http://flag/v1/traces")
    }

    @Test(arguments: [
        ("OTEL_TRACES_EXPORTER", "zipkin"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://u:p@host"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "0"), ("OTEL_EXPORTER_OTLP_TIMEOUT", "99999999999999999999"),
        ("OTEL_TRACES_SAMPLER", "xray"), ("OTEL_TRACES_SAMPLER_ARG", "1.5"), ("OTEL_TRACES_SAMPLER_ARG", "nan"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "token"), ("OTEL_EXPORTER_OTLP_HEADERS", "a=b%0d%0aHost: x"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a b=c"), ("OTEL_RESOURCE_ATTRIBUTES", "=x"),
        ("OTEL_RESOURCE_ATTRIBUTES", "a=%zz"), ("OTEL_BSP_MAX_QUEUE_SIZE", "0"), ("OTEL_SDK_DISABLED", "yes"),
    ])
    func `an unusable value is refused with the name of its variable`(variable: String, value: String) throws {
        let environment = ["OTEL_TRACES_EXPORTER": "otlp"].merging([variable: value]) { $1 }
        let error = #expect(throws: ConfigurationError.self) { try configuration(environment) }
        #expect(error?.description.contains(variable) == true)
    }

    @Test func `unusable values do not matter while nothing is exported`() throws {
        #expect(
            try configuration(["OTEL_TRACES_SAMPLER": "xray", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"]).headers.isEmpty)
    }

    @Test func `headers are secret: not a flag, never printed, and read from a file`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("authorization=Bearer%20secret\n", to: "headers")
        let configured = try configuration(
            ["OTEL_TRACES_EXPORTER": "otlp"], ["--otel.exporter.otlp.headers.file", file])
        #expect(configured.headers.map { "\($0.name): \($0.value)" } == ["authorization: Bearer secret"])

        guard
            case .refuse(let lines, 78) = command.parse(["--otel.exporter.otlp.headers", "a=secret"], environment: [:])
        else {
            Issue.record("the flag was accepted")
            return
        }
        #expect(!lines.joined().contains("a=secret") && lines.joined().contains("otel.exporter.otlp.headers.file"))

        let environment = ["OTEL_EXPORTER_OTLP_HEADERS": "a=secret", "OTEL_TRACES_EXPORTER": "otlp"]
        guard case .run(let invocation) = command.parse([], environment: environment) else { return }
        #expect(!invocation.configuration.describe().contains("secret"))
    }
}

internal import CommandLine
internal import Configuration
internal import Cryptography
internal import Ingress
internal import Lifecycle
internal import OTLP
internal import ServiceKit
internal import SharedConfiguration
internal import Telemetry

@main
struct SluiceIngress {
    static func main() async {
        MemoryArenas.limit()
        let cryptography = Result { try initializeCryptography() }
        let command = IngressApplication.command.tolerating(SharedConfiguration.keys)
        let configuration = command.parseOrExit().configuration
        let settings: IngressConfiguration
        let telemetry: OTLPConfiguration
        do {
            settings = try IngressConfiguration(configuration)
            telemetry = try OTLPConfiguration(configuration)
        } catch {
            command.exit(refusing: [error])
        }
        let logger = ApplicationSettings.logger(command.name, configuration)
        await runApplication(logger: logger) {
            _ = try cryptography.get()
            let metrics = MetricsRegistry()
            metrics.collectProcessMetrics()
            metrics.buildInfo("sluice_build_info", labels: [MetricLabel("version", Build.version)])
            let openTelemetry = OpenTelemetry(
                telemetry, executable: command.name, metrics: metrics, logger: logger)
            return openTelemetry.services + [
                KafkaCredentialFiles(configuration, logger: logger, metrics: metrics),
                IngressService(settings, logger: logger, metrics: metrics, tracer: openTelemetry.tracer),
            ]
        }
    }
}

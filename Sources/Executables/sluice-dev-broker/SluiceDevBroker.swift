internal import CommandLine
internal import Configuration
internal import Cryptography
internal import Lifecycle
internal import ServiceKit

@main
struct SluiceDevBroker {
    static func main() async {
        // Initialize libcrypto before librdkafka loads it, and without its exit handler, which can crash a process with
        // running threads.
        let cryptography = Result { try initializeCryptography() }
        let command = DevBrokerCommand.command
        let configuration = command.parseOrExit().configuration
        let logger = ApplicationSettings.logger(command.name, configuration)
        await runApplication(logger: logger) {
            _ = try cryptography.get()
            return [DevBrokerService(configuration, logger: logger)]
        }
    }
}

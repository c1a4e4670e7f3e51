package import Configuration
internal import FoundationEssentials
internal import Glibc

extension Command {
    /// Parses this process's command line and environment, and returns the invocation to run. If there is nothing to
    /// run, prints the help, the version or one line per error, and exits. The exit code is 0 after the help or the
    /// version, 64 for a usage error, and 78 for a configuration error.
    package func parseOrExit() -> Invocation {
        let arguments = Command.processArguments(of: name)
        switch parse(arguments, environment: ProcessInfo.processInfo.environment) {
        case .run(let invocation):
            Command.write(invocation.warnings.map { $0 + "\n" }.joined(), to: STDERR_FILENO)
            return invocation
        case .show(let text):
            Command.write(text, to: STDOUT_FILENO)
            Glibc.exit(0)
        case .refuse(let lines, let exitCode):
            Command.write(lines.map { $0 + "\n" }.joined(), to: STDERR_FILENO)
            Glibc.exit(exitCode)
        }
    }

    /// Prints one line per error and exits. Used for errors that only the service can detect.
    package func exit(refusing errors: [ConfigurationError]) -> Never {
        let errors = ConfigurationErrors(errors)
        let lines = errors.errors.map { "\(name): configuration: \($0.description)\n" }
        Command.write(lines.joined(), to: STDERR_FILENO)
        Glibc.exit(errors.exitCode)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

internal import Glibc

extension Command {
    /// Returns the arguments of this process after its name. Exits with 78 if the system hides them, because flags
    /// would otherwise be ignored silently.
    ///
    /// Swift reads the arguments from `/proc/self/cmdline`, so a root directory without `/proc`, such as a bare
    /// `chroot`, hides them.
    package static func processArguments(of name: String) -> [String] {
        guard let arguments = arguments(CommandLine.arguments) else {
            let text =
                "\(name): the command line cannot be read: /proc is not mounted. Mount it (mount -t proc proc /proc), "
                + "or start the container with it.\n"
            _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
            Glibc.exit(78)
        }
        return arguments
    }

    /// Removes the process name. Returns nil if even the name is missing, because every process is started with one.
    static func arguments(_ commandLine: [String]) -> [String]? {
        commandLine.isEmpty ? nil : Array(commandLine.dropFirst())
    }
}

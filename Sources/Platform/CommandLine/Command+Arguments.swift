internal import Glibc

extension Command {
    /// Returns this process's arguments without its name. Exits with code 78 if the system hides them, because flags
    /// would otherwise be silently ignored.
    ///
    /// Swift reads the arguments from `/proc/self/cmdline`, so they are missing in a root directory without `/proc`,
    /// such as a bare `chroot`.
    package static func processArguments(of name: String) -> [String] {
        guard let arguments = arguments(Swift.CommandLine.arguments) else {
            let text =
                "\(name): the command line cannot be read: /proc is not mounted. Mount it (mount -t proc proc /proc), "
                + "or start the container with /proc.\n"
            _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
            Glibc.exit(78)
        }
        return arguments
    }

    /// Returns the arguments without the process name, or nil if the command line is empty because the system hides it.
    static func arguments(_ commandLine: [String]) -> [String]? {
        commandLine.isEmpty ? nil : Array(commandLine.dropFirst())
    }
}

internal import Glibc

extension Command {
    /// The arguments of this process after its name. Ends the process with 78 where the system hides them: flags would
    /// be ignored without a word.
    ///
    /// Swift reads them from `/proc/self/cmdline`, so that a root without `/proc`, such as a bare `chroot`, has none.
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

    /// Without the name of the process; nil where not even the name is there, with which every process is started.
    static func arguments(_ commandLine: [String]) -> [String]? {
        commandLine.isEmpty ? nil : Array(commandLine.dropFirst())
    }
}

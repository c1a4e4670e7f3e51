import Testing

/// The built executables, tested from outside: over HTTP, Kafka, files, signals and exit codes.
///
/// Serialized, because each test runs several processes and measures times.
@Suite(.serialized, .timeLimit(.minutes(TestScale.isLong ? 40 * TestScale.times : 10))) enum EndToEnd {}

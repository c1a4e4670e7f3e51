import Testing

/// The built executables, seen from outside: over HTTP, Kafka, files, signals and exit codes.
///
/// One test at a time: each runs several processes and measures how long they take.
@Suite(.serialized, .timeLimit(.minutes(TestScale.isLong ? 40 * TestScale.times : 10))) enum EndToEnd {}

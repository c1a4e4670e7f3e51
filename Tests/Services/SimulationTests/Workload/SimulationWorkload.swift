import Kafka

@testable import PipelineRuntime

/// The service that the members run, its traffic, and its invariants.
protocol SimulationWorkload: AnyObject, Sendable {
    /// The input records, in order of time.
    var traffic: [SimulatedRecord] { get }
    /// The longest usual time between two records of a key, in milliseconds. Faults are as frequent.
    var longestPause: Int64 { get }
    /// The time at which everything should be done, milliseconds since 1970.
    var end: Int64 { get }
    func makeService(for process: SimulatedProcess, path: String) throws -> any SimulatedService
    /// Called for each record that is appended to the state's topic.
    func appended(_ record: KafkaRecord)
    /// Returns whether all facts of an input record are in the state's topic.
    func isPublished(_ record: KafkaRecord) -> Bool
    /// Returns whether a record may be dead-lettered: it is unreadable, or its row was refused.
    func mayBeDeadLettered(_ record: KafkaRecord) -> Bool
    /// Checks the rows of a member at any moment.
    func look(at service: any SimulatedService)
    /// Checks the topic and the effects at the end.
    func checkEnd()
    /// Checks the rows of a member at the end.
    func checkEnd(of service: any SimulatedService)
    /// Begins a fault of the services beside Kafka.
    ///
    /// - Returns: the action that ends the fault.
    func beginFault() -> () -> Void
    /// Called when something else could happen, for work that no input record causes.
    func step()
}

/// The parts of one process that depend on the workload.
protocol SimulatedService: AnyObject {
    var state: any SteppedState { get }
    /// The handler of the input, without the assignment of partitions.
    var handler: any BatchHandler { get }
    func start() throws
    /// Ends all work that tasks of the process do not wait for. The process is dead.
    func stop() async
}

/// A record of the input topic and the time at which it is written, milliseconds since 1970.
struct SimulatedRecord {
    let at: Int64
    let key: [UInt8]
    let value: [UInt8]
    var headers: [KafkaHeader] = []
    /// Whether the record is written with the key, and not only to the key's partition.
    var hasKey = true
}

/// The steps of a simulated state, regardless of its model.
protocol SteppedState: AnyObject, Sendable {
    /// The partitions with a reader that waits for records that exist.
    var deliverable: [KafkaTopicPartition] { get }
    /// Why reads may be incomplete; nil if they are complete.
    var obstacle: String? { get }
    /// Why the member must not be ready although it is; nil if there is no reason.
    var readinessProblem: String? { get }
    /// Returns the difference between the index in the database and its rows; nil if there is none.
    func indexProblem() throws -> String?
    func deliver(_ place: KafkaTopicPartition)
    func learnEnds()
    /// The partitions of the state that the member owns.
    var owned: Set<KafkaTopicPartition> { get }
    func partitionAssigned(_ input: KafkaTopicPartition) async throws
    func partitionReleased(_ input: KafkaTopicPartition) async
    /// Returns the applied position of a partition.
    func position(of place: KafkaTopicPartition) -> Int64
    /// Ends all waits for the topic.
    func end()
    /// Closes the database. Called after all tasks have ended.
    func close()
}

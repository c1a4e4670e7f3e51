/// A pipeline's handler, which is one of three kinds.
public enum PipelineHandler: Sendable {
    /// Handles one record at a time, in order for each key.
    case records(any RecordHandler)
    /// Handles a partition's records in batches.
    case batches(any BatchHandler)
    /// Appends a partition's records immediately and makes them durable with a flush.
    case flushing(any FlushingHandler)
}

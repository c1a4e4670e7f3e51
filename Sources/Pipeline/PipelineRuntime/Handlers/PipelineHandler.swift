/// The handler of a pipeline, in one of its three forms.
public enum PipelineHandler: Sendable {
    /// One record at a time, in order for each key.
    case records(any RecordHandler)
    /// A partition's records as batches.
    case batches(any BatchHandler)
    /// A partition's records appended now and durable at a flush.
    case flushing(any FlushingHandler)
}

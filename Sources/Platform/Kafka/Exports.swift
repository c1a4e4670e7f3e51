// Topics, offsets and records have a module of their own, so that code without a Kafka client can use them. Importing
// the client imports that module too.
@_exported public import KafkaModel

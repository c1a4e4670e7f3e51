// Topics, offsets and records are values of their own module, so that code without a Kafka client can speak of them;
// whoever imports the client has them too.
@_exported public import KafkaModel

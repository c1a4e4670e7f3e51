// Topics, offsets and records are in their own module, so that code without a Kafka client can use them. Importing the
// client also imports that module.
@_exported public import KafkaModel

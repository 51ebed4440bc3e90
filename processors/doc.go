// Package processors runs the audit's two goka groups: "symbols" judges every
// tick of every partition it owns, "distribution" folds what the partitions
// tell into the reports of whole topics.
//
// Both share one frame, because durability must not depend on what is judged:
//
//	transport   records of a franz-go group client as a sarama.ConsumerGroup
//	gate        holds goka's marks back and makes state durable at checkpoints
//	claim       one partition that this process owns: queue, state, position
//	checkpoint  reports, rows and offsets, in one transaction or in that order
//	recovery    rows of the claimed partitions, read before the first record
//
// No market rule lives here; what a record means is the engine's business.
package processors

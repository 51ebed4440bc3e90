// Package avro reads ticks in Avro's binary encoding.
//
// A schema is compiled once into a plan, which walks over a record, keeps the
// fields that a tick has and skips the others without building them, so that
// a record costs no allocation. Schemas are parsed by
// github.com/twmb/avro. Reading is total: bytes that do not fit the schema
// give a reason.
//
// Nothing here knows where schemas come from.
package avro

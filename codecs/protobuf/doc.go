// Package protobuf reads ticks in Protocol Buffers' binary encoding.
//
// A message type is compiled once into a plan, which walks over a record's
// wire format, keeps the fields that a tick has and skips the others without
// building messages, so that a record costs no allocation. Schemas are compiled
// by github.com/bufbuild/protocompile, or come as a descriptor set. Reading is
// total: bytes that are no message give a reason.
//
// Nothing here knows where schemas come from.
package protobuf

package codecs

import "encoding/binary"

// Schema registries' wire format, as their serializers write it
// (io.confluent.kafka.serializers.schema.id.SchemaId): a byte 0x00 and the
// schema's id in four bytes, most significant first, before the payload. Newer
// serializers put a schema's GUID into a record header instead, as a byte 0x01
// and its 16 bytes, and leave the payload bare.
const (
	FrameBytes     = 5
	ValueGUID      = "__value_schema_id" // the header's name for values
	KeyGUID        = "__key_schema_id"   // the header's name for keys
	frameMagic     = 0x00
	guidMagic      = 0x01
	guidFrameBytes = 17
)

// Frame takes a schema registry's frame off b. ok is false when b does not
// begin with one; the payload may be empty.
func Frame(b []byte) (id int32, payload []byte, ok bool) {
	if len(b) < FrameBytes || b[0] != frameMagic {
		return 0, nil, false
	}
	id = int32(binary.BigEndian.Uint32(b[1:]))
	return id, b[FrameBytes:], id >= 0
}

// GUID reads a header that names a schema by its GUID. rest is what stands
// behind it: the message indexes of Protobuf.
func GUID(header []byte) (guid [16]byte, rest []byte, ok bool) {
	if len(header) < guidFrameBytes || header[0] != guidMagic {
		return guid, nil, false
	}
	return [16]byte(header[1:guidFrameBytes]), header[guidFrameBytes:], true
}

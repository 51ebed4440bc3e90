package engine

// Format is the form in which a value stood, as its decoder recognised it.
type Format uint8

// The formats. A frame is the schema registry's, whose schema says which it is.
const (
	FormatUnknown Format = iota
	PlainJSON
	FramedAvro
	FramedProtobuf
	FramedJSON
	SingleObjectAvro
	BareAvro
	BareProtobuf
	PlainCSV
	FormatCount
)

var formatNames = [FormatCount]string{"unknown", "json", "framed avro", "framed protobuf", "framed json",
	"single-object avro", "bare avro", "bare protobuf", "csv"}

// String is the format's name in reports.
func (f Format) String() string {
	if f < FormatCount {
		return formatNames[f]
	}
	return formatNames[FormatUnknown]
}

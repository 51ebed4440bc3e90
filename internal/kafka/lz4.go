package kafka

import (
	"encoding/binary"
	"errors"

	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// mostInflated is how many bytes a batch may decompress to: franz-go's default.
const mostInflated = 1 << 30

// Decompressor decompresses fetched batches. It reads the LZ4 frames that
// Kafka's clients write block by block into memory that is lent, where franz-go
// streams them through two buffers and checks their content a second time: the
// checksum of a batch is over its compressed bytes. All else, and a frame that
// is damaged, is left to franz-go.
//
// [Spent] gives a batch's memory back.
type Decompressor struct{ other kgo.Decompressor }

// NewDecompressor gives a decompressor for any number of clients.
func NewDecompressor() *Decompressor { return &Decompressor{kgo.DefaultDecompressor(inflated)} }

// Decompress implements kgo.Decompressor.
func (d *Decompressor) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	out, err := []byte(nil), errOtherFrame
	if codec == kgo.CodecLz4 {
		out, err = d.lz4(src)
	}
	if err != nil && !errors.Is(err, kgo.ErrMaxDecompress) {
		out, err = d.other.Decompress(src, codec)
	}
	if err == nil {
		inflated.register(out)
	}
	return out, err
}

// Of an LZ4 frame, as its format says: github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md.
const (
	lz4Magic       = 0x184d2204
	lz4Version     = 0b0100_0000
	lz4Independent = 1 << 5 // blocks do not refer to those before
	lz4BlockSums   = 1 << 4
	lz4Size        = 1 << 3
	lz4ContentSum  = 1 << 2
	lz4Dictionary  = 1 << 0
	lz4Stored      = 1 << 31 // the block is not compressed
)

var errOtherFrame = errors.New("an LZ4 frame of another kind, or damaged")

func (d *Decompressor) lz4(src []byte) ([]byte, error) {
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != lz4Magic {
		return nil, errOtherFrame
	}
	flags := src[4]
	if flags>>6<<6 != lz4Version || flags&lz4Independent == 0 || flags&lz4Dictionary != 0 {
		return nil, errOtherFrame
	}
	at, between, behind := 7, 4, 4 // the first block's size; what stands behind each, and behind all
	if flags&lz4Size != 0 {
		at += 8
	}
	if flags&lz4BlockSums == 0 {
		between = 0
	}
	if flags&lz4ContentSum == 0 {
		behind = 0
	}
	out := inflated.GetDecompressBytes(src, kgo.CodecLz4)
	for at+4 <= len(src) {
		header := binary.LittleEndian.Uint32(src[at:])
		at += 4
		if header == 0 {
			if at+behind != len(src) {
				break
			}
			return out, nil
		}
		size := int(header &^ lz4Stored)
		if size > len(src)-at {
			break
		}
		var err error
		if out, err = d.block(out, src[at:at+size], header&lz4Stored != 0); err != nil {
			inflated.PutDecompressBytes(out)
			return nil, err
		}
		at += size + between
	}
	inflated.PutDecompressBytes(out)
	return nil, errOtherFrame
}

// block appends a block to out, which grows as it must.
func (d *Decompressor) block(out, block []byte, stored bool) ([]byte, error) {
	for {
		room := out[len(out):cap(out)]
		if stored && len(block) <= len(room) {
			return append(out, block...), nil
		}
		if !stored {
			n, err := lz4.UncompressBlock(block, room)
			if err == nil {
				return out[:len(out)+n], nil
			}
			if !errors.Is(err, lz4.ErrInvalidSourceShortBuffer) || len(room) >= 4<<20 { // no block is larger
				return out, errOtherFrame
			}
		}
		if 2*cap(out) > mostInflated {
			return out, kgo.ErrMaxDecompress
		}
		larger := inflated.lend(2 * max(cap(out), len(block)))
		larger = append(larger, out...)
		inflated.PutDecompressBytes(out)
		out = larger
	}
}

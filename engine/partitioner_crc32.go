package engine

import "hash/crc32"

// crc32Unsigned places a key as librdkafka's consistent partitioners do:
// CRC-32 (IEEE) as an unsigned number, modulo n.
func crc32Unsigned(key []byte, n int32) int32 {
	return int32(crc32.ChecksumIEEE(key) % uint32(n))
}

package engine

// Murmur2 is the 32-bit MurmurHash2 of key with the seed that Kafka's Java
// client uses (org.apache.kafka.common.utils.Utils.murmur2), as that client
// shows it: signed. Murmur2 of "foobar" is -790332482.
func Murmur2(key []byte) int32 { return int32(murmur2(key)) }

const (
	murmurSeed  = 0x9747b28c
	murmurMul   = 0x5bd1e995
	murmurShift = 24
)

func murmur2(key []byte) uint32 {
	h := murmurSeed ^ uint32(len(key))
	for len(key) >= 4 {
		k := uint32(key[0]) | uint32(key[1])<<8 | uint32(key[2])<<16 | uint32(key[3])<<24
		k *= murmurMul
		k ^= k >> murmurShift
		h = h*murmurMul ^ k*murmurMul
		key = key[4:]
	}
	if len(key) > 0 {
		for i, b := range key {
			h ^= uint32(b) << (8 * i)
		}
		h *= murmurMul
	}
	h ^= h >> 13
	h *= murmurMul
	return h ^ h>>15
}

package engine

// fnv1a is the 32-bit FNV-1a hash (RFC 9923).
func fnv1a(key []byte) uint32 {
	h := uint32(2166136261)
	for _, b := range key {
		h = (h ^ uint32(b)) * 16777619
	}
	return h
}

// Clients agree on FNV-1a and differ in how the hash becomes a partition.
// Where its top bit is clear, all three agree.

// fnv1aAbs takes the absolute value after the modulo (sarama's default).
func fnv1aAbs(key []byte, n int32) int32 {
	p := int32(fnv1a(key)) % n
	if p < 0 {
		return -p
	}
	return p
}

// fnv1aMask clears the sign bit before the modulo (sarama's "reference").
func fnv1aMask(key []byte, n int32) int32 { return int32(fnv1a(key)&0x7fffffff) % n }

// fnv1aUint takes the hash as unsigned (franz-go's SaramaHasher, on 64-bit
// platforms).
func fnv1aUint(key []byte, n int32) int32 { return int32(fnv1a(key) % uint32(n)) }

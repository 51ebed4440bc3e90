package engine

// kafkaJSMurmur2 is the murmur2 of kafkajs 1.x (LegacyPartitioner in 2.x).
// It differs from Java's murmur2 in two ways, both from JavaScript:
//
//   - A product is a double. Above 2^53 its low bits are rounded away before
//     the next bit operation takes the number modulo 2^32.
//   - Its loop runs once more than there are whole words, over the last one
//     to three bytes with absent bytes read as 0, before the same bytes are
//     mixed in as a tail.
func kafkaJSMurmur2(key []byte) uint32 {
	h := murmurSeed ^ uint32(len(key))
	tail := key
	for rest := key; len(rest) > 0; {
		word := rest[:min(4, len(rest))]
		rest = rest[len(word):]
		if len(word) == 4 {
			tail = rest
		}
		k := jsMultiply(littleEndian(word))
		k = jsMultiply(k ^ k>>murmurShift)
		h = jsMultiply(h) ^ k
	}
	if len(tail) > 0 {
		h = jsMultiply(h ^ littleEndian(tail))
	}
	h = jsMultiply(h ^ h>>13)
	return h ^ h>>15
}

// jsMultiply is what JavaScript makes of x times murmur2's multiplier: the
// signed 32-bit x times it, rounded to a double, taken modulo 2^32. The exact
// product is below 2^62, so it fits an int64 on both sides of the rounding.
func jsMultiply(x uint32) uint32 {
	return uint32(int64(float64(int64(int32(x)) * murmurMul)))
}

// littleEndian reads up to four bytes as a number, the first one lowest.
func littleEndian(b []byte) (x uint32) {
	for i, c := range b {
		x |= uint32(c) << (8 * i)
	}
	return x
}

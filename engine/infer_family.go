package engine

import (
	"hash/crc32"
	"math"
	"strconv"
)

// family is a function that may have placed a key: one of the hashes, or a
// faulty look-alike that clients have shipped.
type family uint8

const (
	familyMurmur2 family = iota
	familyCRC32
	familyFNV1aAbs
	familyFNV1aMask
	familyFNV1aUint
	familyKafkaJSLegacy
	familyMurmur2Unmasked // murmur2 as unsigned number, its sign bit not cleared
	familyCRC32Signed     // CRC-32 as signed number, absolute value after the modulo
	familyCount

	noFamily = familyCount
)

var familyNames = [familyCount]string{
	"murmur2", "crc32", "fnv1a-abs", "fnv1a-mask", "fnv1a-uint", "kafkajs-legacy", "murmur2-unmasked", "crc32-signed",
}

func (f family) String() string { return familyNames[min(f, familyCount-1)] }

// faulty reports whether the function is a look-alike that no client in the
// table uses: it takes more to be believed.
func (f family) faulty() bool { return f >= familyMurmur2Unmasked }

// clients are the names under which --partitioner knows the libraries that use
// the function.
func (f family) clients() []string {
	switch f {
	case familyMurmur2Unmasked:
		return []string{"a client that does not mask murmur2's sign bit"}
	case familyCRC32Signed:
		return []string{"a client that takes CRC-32 as a signed number"}
	}
	var names []string
	for i := range partitionerTable {
		if p := &partitionerTable[i]; p.Client != "" && p.Hash == Hash(f)+1 {
			names = append(names, p.Name)
		}
	}
	return names
}

// familyOf is the family of a hash; ok is false for HashNone.
func familyOf(h Hash) (f family, ok bool) {
	if h == HashNone || h > HashKafkaJSLegacy {
		return noFamily, false
	}
	return family(h - 1), true
}

// Fits is the set of functions that put a key where it lies, one bit each.
type Fits uint8

func (s Fits) has(f family) bool { return s&(1<<f) != 0 }

// placesOf gives the partition of a key under every function, in a topic of n
// partitions. It allocates nothing.
func placesOf(key []byte, n int32) (at [familyCount]int32) {
	m, c, v := murmur2(key), crc32.ChecksumIEEE(key), fnv1a(key)
	at[familyMurmur2] = int32(m&0x7fffffff) % n
	at[familyCRC32] = int32(c % uint32(n))
	at[familyFNV1aAbs] = absolute(int32(v) % n)
	at[familyFNV1aMask] = int32(v&0x7fffffff) % n
	at[familyFNV1aUint] = int32(v % uint32(n))
	at[familyKafkaJSLegacy] = int32(kafkaJSMurmur2(key)&0x7fffffff) % n
	at[familyMurmur2Unmasked] = int32(m % uint32(n))
	at[familyCRC32Signed] = absolute(int32(c) % n)
	return at
}

func absolute(x int32) int32 {
	if x < 0 {
		return -x
	}
	return x
}

// fitsOf is the set of functions that put the key on the partition.
func fitsOf(key []byte, partition, n int32) (s Fits) {
	at := placesOf(key, n)
	for f, p := range at {
		if p == partition {
			s |= 1 << f
		}
	}
	return s
}

// kinship says how often two functions disagree about a key in a topic of n
// partitions: 0 when they are one and the same there.
type kinship struct {
	n     int32
	at    [][familyCount]int32 // where each function puts made-up keys; filled when it is asked for first
	known [familyCount][familyCount]bool
	share [familyCount][familyCount]float64
}

// kinshipKeys is how many made-up keys measure it.
const kinshipKeys = 512

func newKinship(n int32) *kinship { return &kinship{n: n} }

// disagree is the share of keys that f and g put on different partitions.
func (k *kinship) disagree(f, g family) float64 {
	if k.known[f][g] {
		return k.share[f][g]
	}
	for i := len(k.at); i < kinshipKeys; i++ {
		k.at = append(k.at, placesOf(strconv.AppendInt([]byte("SYMBOL-"), int64(i)*7919, 36), k.n))
	}
	differ := 0
	for i := range k.at {
		if k.at[i][f] != k.at[i][g] {
			differ++
		}
	}
	k.known[f][g], k.share[f][g] = true, float64(differ)/kinshipKeys
	return k.share[f][g]
}

// same are the other functions that cannot be told from f.
func (k *kinship) same(f family) (names []string) {
	for g := range familyCount {
		if g != f && k.disagree(f, g) == 0 {
			names = append(names, g.String())
		}
	}
	return names
}

// bits is how strongly it speaks against chance that a function, which hits by
// chance with probability 1/n, hits s of k keys: the exponent of Chernoff's
// bound on it, to base 2. 10 bits are 1 in 1024.
func bits(s, k float64, n int32) float64 {
	q := 1 / float64(n)
	if k <= 0 || n < 2 || s <= k*q {
		return 0
	}
	if s >= k {
		return k * math.Log2(float64(n))
	}
	a := s / k
	return k * (a*math.Log2(a/q) + (1-a)*math.Log2((1-a)/(1-q)))
}

const (
	// sureBits must speak for a function before it is named: three keys at
	// eight partitions and more, four at five, six at three.
	sureBits = 8.9
	// faultyBits are wanted on top for a function that no known client uses.
	faultyBits = 4
	// partBits are wanted on top for a function that explains only a part of
	// the keys, in proportion to the others: the more keys nothing explains, and
	// the more often one looks, the sooner some function seems to.
	partBits = 16
)

// threshold is how strongly its keys must speak for the member.
func (m *member) threshold() float64 {
	want := sureBits + partBits*(1-m.share)
	if m.family.faulty() {
		want += faultyBits
	}
	return want
}

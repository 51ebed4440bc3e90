package engine

import "fmt"

// Hash is a function from a key's bytes to a partition, as clients use it.
// The numbers are stable and may be stored.
type Hash uint8

// The hashes. HashNone stands for a client that ignores keys.
const (
	HashNone          Hash = 0
	HashMurmur2       Hash = 1 // (murmur2 & 0x7fffffff) % n
	HashCRC32         Hash = 2 // CRC-32, unsigned % n
	HashFNV1aAbs      Hash = 3 // abs(int32(FNV-1a) % n)
	HashFNV1aMask     Hash = 4 // (FNV-1a & 0x7fffffff) % n
	HashFNV1aUint     Hash = 5 // FNV-1a, unsigned % n
	HashKafkaJSLegacy Hash = 6 // (kafkajs 1.x's murmur2 & 0x7fffffff) % n
)

var hashNames = [...]string{
	"none", "murmur2", "crc32", "fnv1a-abs", "fnv1a-mask", "fnv1a-uint", "kafkajs-legacy",
}

// Hashes returns every hash that places keys, in the order of their numbers.
func Hashes() []Hash {
	return []Hash{HashMurmur2, HashCRC32, HashFNV1aAbs, HashFNV1aMask, HashFNV1aUint, HashKafkaJSLegacy}
}

// String is the hash's name in configuration and reports.
func (h Hash) String() string {
	if int(h) < len(hashNames) {
		return hashNames[h]
	}
	return fmt.Sprintf("HASH_%d", uint8(h))
}

// Partition is the partition of key in a topic of n partitions: from 0 to
// n-1, or -1 for HashNone. It allocates nothing. n must be positive.
//
// Only bytes count, and no bytes at all hash like any others; what a client
// does with an empty or a null key is in its Partitioner.
func (h Hash) Partition(key []byte, n int32) int32 {
	switch h {
	case HashMurmur2:
		return int32(murmur2(key)&0x7fffffff) % n
	case HashCRC32:
		return crc32Unsigned(key, n)
	case HashFNV1aAbs:
		return fnv1aAbs(key, n)
	case HashFNV1aMask:
		return fnv1aMask(key, n)
	case HashFNV1aUint:
		return fnv1aUint(key, n)
	case HashKafkaJSLegacy:
		return int32(kafkaJSMurmur2(key)&0x7fffffff) % n
	}
	return -1
}

// KeyRule is what a client does with a null key, or with one of no bytes.
type KeyRule uint8

// The rules.
const (
	KeyHashed     KeyRule = iota // hashed like any other key: always the same partition
	KeyZero                      // partition 0, which is also the CRC-32 of no bytes
	KeyRandom                    // a random partition for each record
	KeySticky                    // a random partition that is kept for a batch or a time
	KeyRoundRobin                // partitions in turn
	KeyUnknown                   // a hash alone does not say; name the client
)

var keyRuleNames = [...]string{"hashed", "partition 0", "random", "sticky random", "round robin", "unknown"}

// String is the rule in words.
func (r KeyRule) String() string { return keyRuleNames[min(r, KeyUnknown)] }

// Partitioner is one way in which records get their partition: a bare hash,
// or a client's own choice with what that client does without a key.
type Partitioner struct {
	Name     string  // as users write it: "murmur2", "java", "librdkafka:murmur2"
	Client   string  // "librdkafka"; empty for a bare hash
	Choice   string  // the client's own name of the choice; empty for its default
	Library  string  // the library behind the client's name; empty for a bare hash
	Hash     Hash    // HashNone when keys are ignored
	NullKey  KeyRule // what happens to a record with a null key
	EmptyKey KeyRule // what happens to a record with a key of no bytes
}

// Place says where a record with this key goes in a topic of n partitions.
// null says that the record has a null key; key is ignored then. When the
// client would not decide by the key, ok is false, the partition is -1 and
// reason says why.
func (p Partitioner) Place(key []byte, null bool, n int32) (partition int32, reason string, ok bool) {
	if n <= 0 {
		return -1, fmt.Sprintf("a topic of %d partitions has no partition", n), false
	}
	if p.Hash == HashNone {
		return -1, p.Name + " ignores keys: round robin", false
	}
	kind, rule := "", KeyHashed
	switch {
	case null:
		kind, rule, key = "a null", p.NullKey, nil
	case len(key) == 0:
		kind, rule = "an empty", p.EmptyKey
	}
	switch rule {
	case KeyHashed:
		return p.Hash.Partition(key, n), "", true
	case KeyZero:
		return 0, "", true
	case KeyUnknown:
		return -1, "the hash " + p.Name + " does not say what becomes of " + kind + " key: name a client", false
	}
	return -1, p.Name + " does not hash " + kind + " key: " + rule.String(), false
}

package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Setting is one setting of a client, by that client's own name. Value is a
// bool, an int or a string that spells a constant or a constructor of the
// client's library.
type Setting struct {
	Name  string
	Value any
}

// ProducerPlan are the settings under which a client's ticks stay in order
// and on one partition a symbol.
type ProducerPlan struct {
	Partitioner Partitioner // the choice that the settings make
	Settings    []Setting
	Notes       []string // what settings alone cannot say, one sentence each
}

// ProducerRefusal says that a client cannot keep order whatever its settings,
// or not with the wanted hash.
type ProducerRefusal struct {
	Client string
	Reason string
}

func (r *ProducerRefusal) Error() string {
	return fmt.Sprintf("%s cannot keep these ticks in order: %s", r.Client, r.Reason)
}

// PlanProducer finds the settings of a client, named as in Partitioners:
//
//   - idempotence, so that a retry neither repeats ticks nor lets later ones
//     pass (KIP-98);
//   - acks=all, which idempotence needs;
//   - at most 5 requests in flight, the number of batches a broker remembers
//     per partition and producer (KAFKA-5494), or 1 where the client's
//     idempotence asks for it;
//   - the partitioner by the client's own name.
//
// A name with a choice ("sarama:reference") keeps that choice. A client alone
// gets its choice for want; with HashNone that is murmur2 where the client has
// it, because every other client can be set to it, and its default otherwise.
//
// The error is a *ProducerRefusal when the client cannot do it; any other
// error is an unknown name or a bare hash.
func PlanProducer(name string, want Hash) (ProducerPlan, error) {
	p, err := PartitionerByName(name)
	if err != nil {
		return ProducerPlan{}, unknownClient(name)
	}
	client, ok := producerClients[p.Client]
	if !ok {
		return ProducerPlan{}, fmt.Errorf("%q is a hash: name a client, such as java or librdkafka", name)
	}
	if client.refusal != "" {
		return ProducerPlan{}, &ProducerRefusal{Client: p.Client, Reason: client.refusal}
	}
	if p, err = chooseHash(p, want); err != nil {
		return ProducerPlan{}, err
	}
	settings := append([]Setting(nil), client.settings...)
	settings = append(settings, client.choices[p.Choice])
	return ProducerPlan{Partitioner: p, Settings: settings, Notes: client.notes}, nil
}

// chooseHash finds the choice of p's client that follows the wanted hash.
func chooseHash(p Partitioner, want Hash) (Partitioner, error) {
	if want == p.Hash || want == HashNone && p.Choice != "" {
		return p, nil
	}
	if p.Choice != "" {
		return p, &ProducerRefusal{p.Client, fmt.Sprintf("%s follows %v, not %v", p.Name, p.Hash, want)}
	}
	common := want
	if want == HashNone {
		common = HashMurmur2
	}
	var has []string
	for _, other := range partitionerTable {
		if other.Client == p.Client && other.Hash == common {
			return other, nil
		}
		if other.Client == p.Client {
			has = append(has, other.Name+" ("+other.Hash.String()+")")
		}
	}
	if want == HashNone {
		return p, nil
	}
	return p, &ProducerRefusal{p.Client, fmt.Sprintf("it has no partitioner that follows %v, only %s", want, strings.Join(has, ", "))}
}

// unknownClient says which clients there are, or which choices one has.
func unknownClient(name string) error {
	near, choices := nearestPartitioner(name)
	if len(choices) > 0 {
		return fmt.Errorf("unknown client %q: the choices of %s are %s", name, near.Client, strings.Join(choices, ", "))
	}
	return fmt.Errorf("unknown client %q; the nearest name is %q; there are %s", name, near.Name, strings.Join(slices.Sorted(maps.Keys(producerClients)), ", "))
}

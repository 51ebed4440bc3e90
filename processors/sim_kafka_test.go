//go:build !race

package processors

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// simKafka is a cluster in memory: logs, transactions and groups, by the
// rules that Kafka 4 has for them. It is used by one goroutine at a time.
type simKafka struct {
	random  *rand.Rand
	logs    map[place]*simLog
	ids     map[string]kadm.TopicID
	counts  map[string]int32
	txns    map[string]*simTxnID
	groups  map[string]*simGroup
	markers []simMarker

	timedOut int  // transactions
	unfenced bool // transactions of any generation commit offsets
}

// simTxnID is what the transaction coordinator keeps for a transactional id.
type simTxnID struct {
	epoch int
	open  *simTxn
}

// simTxn is one transaction.
type simTxn struct {
	logs    []*simLog
	offsets map[*simGroup]map[place]int64 // to be committed with it
	began   time.Time
	aborted bool
}

// simMarker is the end of a transaction on its way to a log or to a group's
// offsets.
type simMarker struct {
	due   time.Time
	txn   *simTxn
	log   *simLog
	group *simGroup
}

const simTxnTimeout = 10 * time.Second

func newSimKafka(random *rand.Rand) *simKafka {
	return &simKafka{
		random: random, logs: map[place]*simLog{}, ids: map[string]kadm.TopicID{}, counts: map[string]int32{},
		txns: map[string]*simTxnID{}, groups: map[string]*simGroup{},
	}
}

func (k *simKafka) create(topic, id string, partitions int32) {
	var raw kadm.TopicID
	copy(raw[:], id)
	k.ids[topic], k.counts[topic] = raw, partitions
	for p := range partitions {
		k.grow(topic, p)
	}
}

func (k *simKafka) grow(topic string, partition int32) {
	p := place{topic, partition}
	k.logs[p] = newSimLog(p)
	k.counts[topic] = max(k.counts[topic], partition+1)
}

// initialize gives a producer its epoch; an earlier one is fenced, and what
// it has left open ends before this returns.
func (k *simKafka) initialize(id string) (epoch int) {
	t := k.txns[id]
	if t == nil {
		t = &simTxnID{}
		k.txns[id] = t
	}
	if t.open != nil {
		k.finish(t, false)
	}
	k.flush()
	t.epoch++
	return t.epoch
}

func (k *simKafka) transaction(id string, epoch int) (*simTxn, error) {
	t := k.txns[id]
	if t.epoch != epoch {
		return nil, sarama.ErrInvalidProducerEpoch
	}
	if t.open == nil {
		k.flush() // the one before must have ended: concurrent transactions
		t.open = &simTxn{offsets: map[*simGroup]map[place]int64{}, began: time.Now()}
	}
	return t.open, nil
}

// produce appends a record, in a transaction when id is not "".
func (k *simKafka) produce(p place, r *kgo.Record, id string, epoch int) error {
	l := k.logs[p]
	if l == nil {
		return sarama.ErrUnknownTopicOrPartition
	}
	if id == "" {
		l.append(r, nil)
		return nil
	}
	txn, err := k.transaction(id, epoch)
	if err != nil {
		return err
	}
	if !slices.Contains(txn.logs, l) {
		txn.logs = append(txn.logs, l)
	}
	l.append(r, txn)
	return nil
}

// addOffsets adds a group's offsets to the transaction, as a member of one
// generation; generation -1 goes unchecked, as in Kafka.
func (k *simKafka) addOffsets(id string, epoch int, g *simGroup, offsets map[place]int64, instance, member string, generation int32) error {
	txn, err := k.transaction(id, epoch)
	if err != nil {
		return err
	}
	if generation >= 0 && !k.unfenced {
		if err := g.check(instance, member, generation); err != nil {
			return err
		}
	}
	if txn.offsets[g] == nil {
		txn.offsets[g] = map[place]int64{}
	}
	for p, at := range offsets {
		txn.offsets[g][p] = at
		g.pending[p] = append(g.pending[p], txn)
	}
	return nil
}

func (k *simKafka) endTransaction(id string, epoch int, commit bool) error {
	t := k.txns[id]
	if t.epoch != epoch {
		return sarama.ErrInvalidProducerEpoch
	}
	if t.open != nil {
		k.finish(t, commit)
	}
	return nil
}

// finish decides a transaction. Its markers come when they come.
func (k *simKafka) finish(t *simTxnID, commit bool) {
	txn := t.open
	t.open, txn.aborted = nil, !commit
	due := func() time.Time {
		if k.random.IntN(4) > 0 {
			return time.Now()
		}
		return time.Now().Add(time.Duration(k.random.IntN(400)) * time.Millisecond)
	}
	for _, l := range txn.logs {
		k.markers = append(k.markers, simMarker{due: due(), txn: txn, log: l})
	}
	for _, g := range k.ordered() {
		if txn.offsets[g] != nil {
			k.markers = append(k.markers, simMarker{due: due(), txn: txn, group: g})
		}
	}
	k.pump()
}

func (k *simKafka) ordered() (groups []*simGroup) {
	for _, g := range k.groups {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *simGroup) int { return cmp.Compare(a.name, b.name) })
	return groups
}

// pump writes the markers that are due, and ends transactions that have stood
// open for too long.
func (k *simKafka) pump() {
	now := time.Now()
	var late []simMarker
	for _, m := range k.markers {
		switch {
		case m.due.After(now):
			late = append(late, m)
		case m.log != nil:
			m.log.mark(m.txn)
		default:
			m.group.settle(m.txn)
		}
	}
	k.markers = late
}

func (k *simKafka) expire() {
	for _, id := range slices.Sorted(maps.Keys(k.txns)) {
		t := k.txns[id]
		if t.open != nil && time.Since(t.open.began) > simTxnTimeout {
			t.epoch++
			k.timedOut++
			k.finish(t, false)
		}
	}
}

// flush writes all markers.
func (k *simKafka) flush() {
	for i := range k.markers {
		k.markers[i].due = time.Time{}
	}
	k.pump()
}

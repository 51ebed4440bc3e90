package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Guard decides what may still be judged and what may be committed while the
// partitions of one topic come and go in a consumer group. It is a state
// machine without clock, lock or I/O; the caller acts on what it answers:
//
//  1. Assign opens a partition at its next offset, for one generation of the
//     group.
//  2. Admit is asked before each record is judged. It refuses, in this order,
//     a record of a partition that is fenced or of another generation, a
//     record whose key was seen, and an offset at or below the last.
//  3. Revoke fences all revoked partitions first, and then names those to
//     drain: the caller finishes and flushes what was admitted and tells each
//     outcome with Drained.
//  4. Settle ends the revocation: the next offset of every partition that was
//     drained, to be committed, and all failures in one error. A failed flush
//     withholds the commit of its own partition alone.
//  5. Lose is for partitions that belong to another member already: they are
//     fenced and forgotten. Nothing of them may be flushed or committed.
//
// What a partition forgets is safe to forget: records that were not committed
// come again, to whoever owns the partition then, and must not be refused.
type Guard struct {
	remember int
	held     map[int32]*holding
}

// holding is one partition from its assignment to the end of its revocation.
type holding struct {
	generation int32
	first      int64 // next offset when it was assigned
	last       int64 // last admitted offset; first-1 before any
	seen       seenKeys
	fenced     bool
	drained    bool
	failure    error
}

// Drain tells the caller to finish a fenced partition.
type Drain struct {
	Partition int32
	Through   int64 // last admitted offset, all of which must be flushed
}

// Commit is the next offset of a partition, to be committed.
type Commit struct {
	Partition int32
	Next      int64
}

// Admission is the answer to whether a record may be judged.
type Admission uint8

// The answers. Every one but Admitted leaves the guard as it was.
const (
	Admitted         Admission = iota
	RefusedFenced              // the partition is not held, is being revoked, or was held in another generation
	RefusedDuplicate           // the record's key was admitted before
	RefusedOffset              // the offset is at or below the last admitted or committed one
)

var admissionNames = [...]string{"admitted", "fenced", "duplicate", "offset"}

// String is the answer in one word.
func (a Admission) String() string { return admissionNames[min(a, RefusedOffset)] }

// NewGuard returns a guard that holds no partition and remembers the last
// remember keys of each; 0 remembers none, so that offsets alone decide.
func NewGuard(remember int) *Guard {
	return &Guard{remember: max(remember, 0), held: make(map[int32]*holding)}
}

// Assign opens a partition for a generation of the group. next is the
// committed offset, which is the first to be admitted; a negative one stands
// for none. A partition that is held already starts over, and a revocation of
// it that was not settled commits nothing.
func (g *Guard) Assign(generation, partition int32, next int64) {
	next = max(next, 0)
	g.held[partition] = &holding{
		generation: generation, first: next, last: next - 1, seen: seenKeys{most: g.remember},
	}
}

// Admit says whether a record may be judged, and if so takes its offset as
// the partition's last. The key identifies the tick, not the symbol; an empty
// one cannot be told from others and is judged by its offset alone.
func (g *Guard) Admit(generation, partition int32, offset int64, key string) Admission {
	h := g.held[partition]
	switch {
	case h == nil || h.fenced || h.generation != generation:
		return RefusedFenced
	case h.seen.has(key):
		return RefusedDuplicate
	case offset <= h.last:
		return RefusedOffset
	}
	h.last = offset
	h.seen.add(key)
	return Admitted
}

// AdmitRun is Admit for a run of records whose offsets ascend from first to
// last and whose keys nobody remembers. Of an admitted run the records from
// offset from on may be judged: those before were admitted already.
func (g *Guard) AdmitRun(generation, partition int32, first, last int64) (from int64, a Admission) {
	h := g.held[partition]
	switch {
	case h == nil || h.fenced || h.generation != generation:
		return 0, RefusedFenced
	case last <= h.last:
		return 0, RefusedOffset
	}
	from = max(first, h.last+1)
	h.last = last
	return from, Admitted
}

// Seek goes on at another offset in the same log: behind records that are gone,
// or where the log has been cut. Of a partition that is fenced or of another
// generation it changes nothing.
func (g *Guard) Seek(generation, partition int32, next int64) {
	if h := g.held[partition]; h != nil && !h.fenced && h.generation == generation {
		h.first, h.last = min(h.first, next), next-1
	}
}

// Revoke fences the partitions, all of them before it returns, and names those
// to drain in ascending order. Partitions that are not held are passed over.
func (g *Guard) Revoke(partitions []int32) []Drain {
	var drains []Drain
	for _, partition := range partitions {
		if h := g.held[partition]; h != nil && !h.fenced {
			h.fenced = true
			drains = append(drains, Drain{Partition: partition, Through: h.last})
		}
	}
	slices.SortFunc(drains, func(a, b Drain) int { return int(a.Partition - b.Partition) })
	return drains
}

// Drained tells that everything admitted of a revoked partition is finished
// and flushed, or the failure that kept it from being so. The first failure
// stands. It changes nothing for a partition that is not being revoked, such
// as one lost meanwhile.
func (g *Guard) Drained(partition int32, failure error) {
	if h := g.held[partition]; h != nil && h.fenced && h.failure == nil {
		h.drained, h.failure = true, failure
	}
}

// Settle ends the revocation of every fenced partition. commits holds, in
// ascending order, the next offset of those that were drained and have
// admitted anything; err joins the failures of the others, one for each
// partition, a missing outcome being one. The guard forgets them all.
func (g *Guard) Settle() (commits []Commit, err error) {
	var failures []error
	for _, partition := range slices.Sorted(maps.Keys(g.held)) {
		h := g.held[partition]
		if !h.fenced {
			continue
		}
		delete(g.held, partition)
		switch {
		case h.failure != nil:
			failures = append(failures, fmt.Errorf("partition %d is not committed: %w", partition, h.failure))
		case !h.drained:
			failures = append(failures, fmt.Errorf("partition %d is not committed: it was not drained", partition))
		case h.last >= h.first:
			commits = append(commits, Commit{Partition: partition, Next: h.last + 1})
		}
	}
	return commits, errors.Join(failures...)
}

// Lose fences and forgets partitions that another member may own by now, also
// those in the middle of a revocation.
func (g *Guard) Lose(partitions []int32) {
	for _, partition := range partitions {
		delete(g.held, partition)
	}
}

// seenKeys remembers the most recent keys, at most so many.
type seenKeys struct {
	most   int
	index  map[string]struct{}
	recent []string // a ring once it is full
	oldest int
}

func (s *seenKeys) has(key string) bool {
	_, ok := s.index[key]
	return ok
}

func (s *seenKeys) add(key string) {
	if key == "" || s.most == 0 {
		return
	}
	if s.index == nil {
		s.index = make(map[string]struct{})
	}
	if len(s.recent) < s.most {
		s.recent = append(s.recent, key)
	} else {
		delete(s.index, s.recent[s.oldest])
		s.recent[s.oldest] = key
		s.oldest = (s.oldest + 1) % s.most
	}
	s.index[key] = struct{}{}
}

//go:build !race

package processors

import (
	"context"
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
)

// simCanaries leave one step of the protocol out, or do two in the wrong
// order. The simulation must find each of them: one that does not would not
// find it in the program either.
var simCanaries = map[string]func(*sim){
	"rows before reports": func(s *sim) {
		s.exactlyOnce = false
		s.sink = ordered(func(ctx context.Context, k *inOrder, s *session, batches []*batch) error {
			if err := k.send(ctx, collect(batches, rowsOf)); err != nil {
				return err
			}
			if err := k.send(ctx, collect(batches, aheadOf)); err != nil {
				return err
			}
			return s.commit(ctx, batches)
		})
	},
	"offsets before rows": func(s *sim) {
		s.exactlyOnce = false
		s.sink = ordered(func(ctx context.Context, k *inOrder, s *session, batches []*batch) error {
			if err := k.send(ctx, collect(batches, aheadOf)); err != nil {
				return err
			}
			if err := s.commit(ctx, batches); err != nil {
				return err
			}
			return k.send(ctx, collect(batches, rowsOf))
		})
	},
	"acks not awaited": func(s *sim) {
		s.exactlyOnce = false
		s.sink = ordered(func(ctx context.Context, k *inOrder, s *session, batches []*batch) error {
			for _, m := range append(collect(batches, aheadOf), collect(batches, rowsOf)...) {
				k.ap.Input() <- m
			}
			return s.commit(ctx, batches)
		})
	},
	"offsets outside the transaction": func(s *sim) {
		s.exactlyOnce = true
		s.sink = func(real sink) sink { return &simLoose{real.(*oneTransaction)} }
	},
	"fencing by the group": func(s *sim) {
		s.exactlyOnce = true
		s.unfenced = true
	},
	"offsets of rows": func(s *sim) {
		s.exactlyOnce = false
		s.unit = func(u unit) unit { return simForgetful{u} }
	},
}

func aheadOf(b *batch) []*sarama.ProducerMessage { return b.ahead }
func rowsOf(b *batch) []*sarama.ProducerMessage  { return b.rows }

// simOrdered writes in an order of its own.
type simOrdered struct {
	*inOrder
	how func(context.Context, *inOrder, *session, []*batch) error
}

func ordered(how func(context.Context, *inOrder, *session, []*batch) error) func(sink) sink {
	return func(real sink) sink { return simOrdered{real.(*inOrder), how} }
}

func (o simOrdered) write(ctx context.Context, s *session, batches []*batch) error {
	if err := o.open(); err != nil {
		return err
	}
	err := o.how(ctx, o.inOrder, s, batches)
	if err != nil {
		o.abandon()
	}
	return err
}

// simLoose commits a transaction and then, apart, its offsets.
type simLoose struct{ *oneTransaction }

func (l *simLoose) write(ctx context.Context, s *session, batches []*batch) error {
	if err := l.open(); err != nil {
		return err
	}
	err := l.ap.BeginTxn()
	if err == nil {
		err = l.sendInOrder(ctx, s.g.name, batches, rowSteps(batches))
	}
	if err == nil {
		err = l.ap.CommitTxn()
	}
	if err != nil {
		l.abort(err)
		return err
	}
	return s.commit(ctx, batches)
}

// simForgetful restores symbols' rows without the offsets that they rest on.
type simForgetful struct{ unit }

func (u simForgetful) restore(r *kgo.Record) error {
	_, symbol, partition, err := codecs.ParseKey(r.Key)
	if _, isSymbols := u.unit.(*symbols); !isSymbols || err != nil || partition || r.Value == nil {
		return u.unit.restore(r)
	}
	row, err := codecs.DecodeSymbolRow(symbol, r.Value)
	if err != nil {
		return err
	}
	row.Through = -1
	c := *r
	c.Value = codecs.AppendSymbolRow(nil, &row)
	return u.unit.restore(&c)
}

func TestSimulationFindsWhatIsWrong(t *testing.T) {
	for name, wrong := range simCanaries {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed <= 300; seed++ {
				if simulate(t, seed, wrong, nil) != "" {
					t.Logf("found by seed %d", seed)
					return
				}
			}
			t.Error("300 seeds did not find it")
		})
	}
}

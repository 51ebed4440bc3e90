package processors

import (
	"sync"

	"github.com/twmb/franz-go/pkg/kadm"
)

// looks are the questions for the partition counts of topics that were put to
// the brokers, numbered, with the last answers.
type looks struct {
	mu    sync.Mutex
	put   int64
	known map[string]look
}

type look struct {
	partitions int32
	question   int64
}

// ask numbers a question that is about to be put.
func (l *looks) ask() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put++
	return l.put
}

// asked is the number of the last question that was put.
func (l *looks) asked() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.put
}

// answer notes the answer to a question. The error tells of one of the topics
// that has more partitions than known.
func (l *looks) answer(question int64, listed kadm.TopicDetails, topics []string, known map[string]int32) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]look{}
	}
	for _, name := range topics {
		detail, ok := listed[name]
		n := int32(len(detail.Partitions))
		if !ok || detail.Err != nil || n == 0 {
			continue
		}
		if l.known[name] = (look{n, question}); n > known[name] {
			err = &GrowthError{name, n - 1, known[name]}
		}
	}
	return err
}

// last is the partition count of a topic by the last answer, with the number of
// its question, 0 before there was one, and that of the last question.
func (l *looks) last(topic string) (partitions int32, asked, answered int64) {
	if l == nil {
		return 0, 0, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[topic].partitions, l.put, l.known[topic].question
}

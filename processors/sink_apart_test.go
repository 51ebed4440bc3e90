package processors

import (
	"slices"
	"testing"

	"github.com/IBM/sarama"
)

// Messages that are sent topic by topic are all of them, those of a topic in
// their order.
func TestMessagesAreTakenApartByTopic(t *testing.T) {
	t.Parallel()
	var messages []*sarama.ProducerMessage
	for i, topic := range []string{"audit", "table", "audit", "dead", "table"} {
		messages = append(messages, &sarama.ProducerMessage{Topic: topic, Partition: int32(i)})
	}
	var got [][]int32
	for _, part := range byTopic(messages) {
		var numbers []int32
		for _, m := range part {
			if m.Topic != part[0].Topic {
				t.Errorf("%s beside %s", m.Topic, part[0].Topic)
			}
			numbers = append(numbers, m.Partition)
		}
		got = append(got, numbers)
	}
	if want := [][]int32{{0, 2}, {1, 4}, {3}}; !slices.EqualFunc(got, want, slices.Equal[[]int32]) {
		t.Errorf("%v, want %v", got, want)
	}
}

//go:build !faultpoints

package processors

import (
	"slices"

	"github.com/IBM/sarama"
)

// faultpoint is passed at a step of a checkpoint or a recovery. A program that
// is built with the tag faultpoints can be told to be killed there.
func faultpoint(string, string) {}

// parts is the whole write; see faultpoint.go.
func parts(messages []*sarama.ProducerMessage) [][]*sarama.ProducerMessage {
	return [][]*sarama.ProducerMessage{messages}
}

// together are the messages of one transaction in the steps in which they are
// written: one, since all of them count or none.
func together(ahead, rows []*sarama.ProducerMessage) [][]*sarama.ProducerMessage {
	return [][]*sarama.ProducerMessage{slices.Concat(ahead, rows)}
}

//go:build !faultpoints

package processors

import "github.com/IBM/sarama"

// faultpoint is passed at a step of a checkpoint or a recovery. A program that
// is built with the tag faultpoints can be told to be killed there.
func faultpoint(string, string) {}

// parts is the whole write; see faultpoint.go.
func parts(messages []*sarama.ProducerMessage) [][]*sarama.ProducerMessage {
	return [][]*sarama.ProducerMessage{messages}
}

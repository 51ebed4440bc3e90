package processors

// layout maps the partitions of a group's input topics to those of the one
// stream that goka sees. goka wants input topics to have equal partition
// counts and gives one table to equal numbers; ticks of several topics have
// neither in common, so each topic gets its own range of numbers.
type layout struct {
	stream string
	topics []string
	base   map[string]int32
	count  map[string]int32
	total  int32
}

func newLayout(stream string, topics []string, count map[string]int32) layout {
	l := layout{stream: stream, topics: topics, base: map[string]int32{}, count: map[string]int32{}}
	if len(topics) == 1 {
		l.stream = topics[0]
	}
	for _, topic := range topics {
		l.base[topic], l.count[topic] = l.total, count[topic]
		l.total += count[topic]
	}
	return l
}

// virtual is the stream's number of a topic's partition; ok is false for a
// partition that the topic did not have at the start.
func (l *layout) virtual(topic string, partition int32) (id int32, ok bool) {
	base, known := l.base[topic]
	return base + partition, known && partition < l.count[topic]
}

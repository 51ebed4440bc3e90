package codecs

import "iter"

// Producer is the value of the header that names a record's producer, nil when
// the record has none or the name is empty. Of a repeated header the last
// counts. It is a view on the record's bytes.
func Producer(headers iter.Seq2[string, []byte], name string) (value []byte) {
	if name == "" {
		return nil
	}
	for key, v := range headers {
		if key == name && len(v) > 0 {
			value = v
		}
	}
	return value
}

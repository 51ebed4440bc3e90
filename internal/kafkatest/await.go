package kafkatest

import (
	"testing"
	"time"
)

// AwaitTimeout is how long [Eventually] waits: long enough for a busy machine,
// since a condition that holds ends the wait at once.
const AwaitTimeout = 60 * time.Second

// Eventually waits until a condition holds and fails the test when it does not
// within [AwaitTimeout]. It is what tests use in place of time.Sleep.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(AwaitTimeout); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited %s in vain for %s", AwaitTimeout, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

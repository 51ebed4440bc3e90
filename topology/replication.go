package topology

// With three brokers or more a topic that the audit makes survives the loss of
// one of them without losing or refusing a write.
const (
	brokersForReplication = 3
	replicasAtLeast       = 3
	minISRAtLeast         = 2
)

// Replication returns the replication factor and min.insync.replicas for a new
// topic. 0 means: leave it to the cluster's default, which is good enough.
func Replication(brokers, defaultReplicas, defaultMinISR int) (replicas, minISR int) {
	if brokers < brokersForReplication {
		return 0, 0
	}
	if defaultReplicas < replicasAtLeast {
		replicas = replicasAtLeast
	}
	if defaultMinISR < minISRAtLeast {
		minISR = minISRAtLeast
	}
	return replicas, minISR
}

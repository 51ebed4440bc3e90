package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/topology"
)

// Rights are the operations that the user of the connection may perform on
// one resource.
type Rights struct {
	Known   bool // the broker told them
	Exists  bool
	Refused bool // not even to describe it is allowed
	Allowed []kmsg.ACLOperation
}

// May reports whether an operation is allowed.
func (r Rights) May(operation kmsg.ACLOperation) bool { return slices.Contains(r.Allowed, operation) }

// Authorizer reports whether rights are to be asked for. Without an authorizer
// everybody may do everything; and who may list the ACLs of a cluster that has
// none may do so without any.
func (a *Admin) Authorizer(ctx context.Context) (bool, error) {
	results, err := a.DescribeACLs(ctx, kadm.NewACLs().AnyResource().Allow().AllowHosts().Deny().DenyHosts().Operations(kadm.OpAny).ResourcePatternType(kadm.ACLPatternAny))
	acls := 0
	for _, result := range results {
		acls += len(result.Described)
		if err == nil {
			err = result.Err
		}
	}
	switch {
	case errors.Is(err, kerr.SecurityDisabled):
		return false, nil
	case err == nil:
		return acls > 0, nil
	case errors.Is(err, kerr.ClusterAuthorizationFailed):
		return true, nil
	}
	return true, asError(fmt.Errorf("describe ACLs: %w", err))
}

// TopicRights asks for the rights on topics (KIP-430).
func (a *Admin) TopicRights(ctx context.Context, topics ...string) (map[string]Rights, error) {
	response, err := a.metadata(ctx, true, topics)
	if err != nil {
		return nil, err
	}
	all := map[string]Rights{}
	for _, topic := range response.Topics {
		if topic.Topic == nil {
			continue
		}
		err := kerr.ErrorForCode(topic.ErrorCode)
		all[*topic.Topic] = rightsOf(topic.AuthorizedOperations, err, !errors.Is(err, kerr.UnknownTopicOrPartition))
	}
	return all, nil
}

func rightsOf(bits int32, err error, exists bool) Rights {
	if errors.Is(err, kerr.TopicAuthorizationFailed) || errors.Is(err, kerr.GroupAuthorizationFailed) {
		return Rights{Refused: true}
	}
	allowed := kadm.DecodeACLOperations(bits)
	return Rights{Known: exists && len(allowed) > 0, Exists: exists, Allowed: allowed}
}

// GroupRights asks whether a group may be described and joined. It asks any
// broker: rights are looked at before it says that the group is not its own,
// and nobody has to find, and so make, the cluster's offsets topic. A heartbeat
// of a member that does not exist is refused either way; the reason tells.
func (a *Admin) GroupRights(ctx context.Context, group string) (Rights, error) {
	broker, err := a.anyBroker(ctx)
	if err != nil {
		return Rights{}, err
	}
	describe := kmsg.NewPtrDescribeGroupsRequest()
	describe.Groups = []string{group}
	described, err := describe.RequestWith(ctx, broker)
	if err != nil {
		return Rights{}, asError(fmt.Errorf("ask for rights on group %s: %w", group, err))
	}
	beat := kmsg.NewPtrHeartbeatRequest()
	beat.Group, beat.MemberID, beat.Generation = group, "auditstream-check", -1
	answered, err := beat.RequestWith(ctx, broker)
	if err != nil {
		return Rights{}, asError(fmt.Errorf("ask for rights on group %s: %w", group, err))
	}
	rights := Rights{Known: true}
	if len(described.Groups) == 1 && !errors.Is(kerr.ErrorForCode(described.Groups[0].ErrorCode), kerr.GroupAuthorizationFailed) {
		rights.Allowed = append(rights.Allowed, kmsg.ACLOperationDescribe)
	}
	if !errors.Is(kerr.ErrorForCode(answered.ErrorCode), kerr.GroupAuthorizationFailed) {
		rights.Allowed = append(rights.Allowed, kmsg.ACLOperationRead)
	}
	return rights, nil
}

// TransactionRights asks whether transactions of an id may be written, as
// GroupRights does: to end one that was never begun is refused either way. The
// right to write is one to describe as well.
func (a *Admin) TransactionRights(ctx context.Context, id string) (Rights, error) {
	broker, err := a.anyBroker(ctx)
	if err != nil {
		return Rights{}, err
	}
	request := kmsg.NewPtrEndTxnRequest()
	request.TransactionalID, request.ProducerID, request.ProducerEpoch = id, 1<<60, 0
	response, err := request.RequestWith(ctx, broker)
	if err != nil {
		return Rights{}, asError(fmt.Errorf("ask for rights on transactional id %s: %w", id, err))
	}
	rights := Rights{Known: true}
	if !errors.Is(kerr.ErrorForCode(response.ErrorCode), kerr.TransactionalIDAuthorizationFailed) {
		rights.Allowed = []kmsg.ACLOperation{kmsg.ACLOperationDescribe, kmsg.ACLOperationWrite}
	}
	return rights, nil
}

func (a *Admin) anyBroker(ctx context.Context) (*kgo.Broker, error) {
	metadata, err := a.BrokerMetadata(ctx)
	if err != nil {
		return nil, asError(fmt.Errorf("describe cluster: %w", err))
	}
	if len(metadata.Brokers) == 0 {
		return nil, errors.New("describe cluster: it has no brokers")
	}
	return a.client.Broker(int(metadata.Brokers[0].NodeID)), nil
}

// Describe returns topics as they are, each with its own error: one that may
// not be seen does not hide the others.
func (a *Admin) Describe(ctx context.Context, topics ...string) (kadm.TopicDetails, error) {
	response, err := a.metadata(ctx, false, topics)
	if err != nil {
		return nil, err
	}
	details := kadm.TopicDetails{}
	for _, topic := range response.Topics {
		if topic.Topic == nil {
			continue
		}
		detail := kadm.TopicDetail{
			Topic: *topic.Topic, ID: topic.TopicID, IsInternal: topic.IsInternal, Partitions: kadm.PartitionDetails{},
			Err: kerr.ErrorForCode(topic.ErrorCode),
		}
		for _, p := range topic.Partitions {
			detail.Partitions[p.Partition] = kadm.PartitionDetail{
				Topic: *topic.Topic, Partition: p.Partition, Leader: p.Leader, LeaderEpoch: p.LeaderEpoch,
				Replicas: p.Replicas, ISR: p.ISR, OfflineReplicas: p.OfflineReplicas, Err: kerr.ErrorForCode(p.ErrorCode),
			}
		}
		details[detail.Topic] = detail
	}
	return details, nil
}

// metadata asks for these topics, and makes none of them.
func (a *Admin) metadata(ctx context.Context, withRights bool, topics []string) (*kmsg.MetadataResponse, error) {
	request := kmsg.NewPtrMetadataRequest()
	request.AllowAutoTopicCreation, request.IncludeTopicAuthorizedOperations = false, withRights
	for _, name := range topics {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(name)
		request.Topics = append(request.Topics, topic)
	}
	response, err := request.RequestWith(ctx, a.client)
	if err != nil {
		return nil, asError(fmt.Errorf("describe topics: %w", err))
	}
	return response, nil
}

// Refusals lets the brokers validate the topics that are still to be made,
// without making them, and returns why they would refuse, by topic.
func (a *Admin) Refusals(ctx context.Context, t topology.Topology, existing kadm.TopicDetails) (map[string]error, error) {
	c, err := a.cluster(ctx)
	if err != nil {
		return nil, err
	}
	request := kmsg.NewPtrCreateTopicsRequest()
	request.TimeoutMillis, request.ValidateOnly = int32(reachTimeout.Milliseconds()), true
	for _, topic := range t.Topics {
		if _, exists := existing[topic.Name]; !exists && topic.Create {
			one := newTopic(topic, countsOf(existing), c)
			if one.NumPartitions == 0 { // as many as a topic that is not there either
				one.NumPartitions = 1
			}
			request.Topics = append(request.Topics, one)
		}
	}
	refused := map[string]error{}
	if len(request.Topics) == 0 {
		return refused, nil
	}
	response, err := request.RequestWith(ctx, a.client)
	if err != nil {
		return nil, asError(fmt.Errorf("validate topics to be made: %w", err))
	}
	for _, topic := range response.Topics {
		if err := refusal(&topic); err != nil {
			refused[topic.Topic] = err
		}
	}
	return refused, nil
}

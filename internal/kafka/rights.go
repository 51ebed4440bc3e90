package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
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
	request := kmsg.NewPtrMetadataRequest()
	request.IncludeTopicAuthorizedOperations = true
	for _, name := range topics {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(name)
		request.Topics = append(request.Topics, topic)
	}
	response, err := request.RequestWith(ctx, a.client)
	if err != nil {
		return nil, asError(fmt.Errorf("describe topics: %w", err))
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

// GroupRights asks whether a group may be described and joined. A heartbeat of
// a member that does not exist is refused either way, and by the refusal's
// reason tells whether members may be. When the cluster has no groups at all
// nothing is asked: to ask would make it set up its offsets topic.
func (a *Admin) GroupRights(ctx context.Context, group string) (Rights, error) {
	groups, err := a.ListGroups(ctx)
	if err != nil {
		return Rights{}, asError(fmt.Errorf("list groups: %w", err))
	}
	if len(groups) == 0 {
		if there, err := a.internalTopic(ctx, "__consumer_offsets"); err != nil || !there {
			return Rights{}, err
		}
	}
	var described *kmsg.DescribeGroupsResponse
	request := kmsg.NewPtrDescribeGroupsRequest()
	request.Groups, request.IncludeAuthorizedOperations = []string{group}, true
	err = withCoordinator(ctx, func() (err error) {
		described, err = request.RequestWith(ctx, a.client)
		return err
	})
	if errors.Is(err, kerr.GroupAuthorizationFailed) {
		return Rights{Refused: true}, nil // already to find its coordinator
	}
	if err != nil {
		return Rights{}, asError(fmt.Errorf("describe group %s: %w", group, err))
	}
	if len(described.Groups) == 1 && errors.Is(kerr.ErrorForCode(described.Groups[0].ErrorCode), kerr.GroupAuthorizationFailed) {
		return Rights{Refused: true}, nil
	}
	rights := Rights{Known: true, Exists: true, Allowed: []kmsg.ACLOperation{kmsg.ACLOperationDescribe}}
	beat := kmsg.NewPtrHeartbeatRequest()
	beat.Group, beat.MemberID, beat.Generation = group, "auditstream-check", -1
	response, err := beat.RequestWith(ctx, a.client)
	if err != nil {
		return Rights{}, asError(fmt.Errorf("ask for rights on group %s: %w", group, err))
	}
	if !errors.Is(kerr.ErrorForCode(response.ErrorCode), kerr.GroupAuthorizationFailed) {
		rights.Allowed = append(rights.Allowed, kmsg.ACLOperationRead)
	}
	return rights, nil
}

// TransactionRights asks whether transactions of an id may be written: to end
// one that was never begun is refused either way, and the reason tells. When
// the cluster has had no transactions nothing is asked, as for groups.
func (a *Admin) TransactionRights(ctx context.Context, id string) (Rights, error) {
	if there, err := a.internalTopic(ctx, "__transaction_state"); err != nil || !there {
		return Rights{}, err
	}
	request := kmsg.NewPtrEndTxnRequest()
	request.TransactionalID, request.ProducerID, request.ProducerEpoch = id, 1<<60, 0
	response, err := request.RequestWith(ctx, a.client)
	if err == nil {
		err = kerr.ErrorForCode(response.ErrorCode)
	}
	switch {
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return Rights{Known: true, Refused: true}, nil
	case err == nil, errors.Is(err, kerr.InvalidProducerIDMapping), errors.Is(err, kerr.InvalidProducerEpoch), errors.Is(err, kerr.InvalidTxnState), errors.Is(err, kerr.ProducerFenced):
		return Rights{Known: true, Allowed: []kmsg.ACLOperation{kmsg.ACLOperationDescribe, kmsg.ACLOperationWrite}}, nil
	}
	return Rights{}, asError(fmt.Errorf("ask for rights on transactional id %s: %w", id, err))
}

// internalTopic reports whether an internal topic is there and may be seen.
func (a *Admin) internalTopic(ctx context.Context, name string) (bool, error) {
	topics, err := a.ListTopicsWithInternal(ctx)
	if err != nil {
		return false, asError(fmt.Errorf("list topics: %w", err))
	}
	return topics.Has(name), nil
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
		err := kerr.ErrorForCode(topic.ErrorCode)
		if err == nil || errors.Is(err, kerr.TopicAlreadyExists) {
			continue
		}
		if topic.ErrorMessage != nil && *topic.ErrorMessage != "" {
			err = fmt.Errorf("%w (%s)", err, *topic.ErrorMessage)
		}
		refused[topic.Topic] = err
	}
	return refused, nil
}

package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// GroupInUse refuses a group that others use: one with members that are not
// auditstream's, or of another protocol. A member is ours when its static
// instance id begins with one of the given prefixes, or when it carries our
// client id. Only descriptions are read: no JoinGroup, no OffsetCommit.
func (a *Admin) GroupInUse(ctx context.Context, group string, instanceIDs ...string) error {
	var described kadm.DescribedGroups
	err := withCoordinator(ctx, func() (err error) {
		if described, err = a.DescribeGroups(ctx, group); err == nil {
			err = described[group].Err
		}
		return err
	})
	switch {
	case errors.Is(err, kerr.GroupIDNotFound):
		// Nobody, or a group of a newer protocol, which only a listing shows.
		return a.newProtocolGroup(ctx, group)
	case err != nil:
		return asError(fmt.Errorf("describe group %s: %w", group, err))
	}
	d := described[group]
	if d.State == "Dead" || (d.State == "" && d.ProtocolType == "" && len(d.Members) == 0) {
		return a.newProtocolGroup(ctx, group)
	}
	if d.ProtocolType != "" && d.ProtocolType != "consumer" {
		return inUse(group, fmt.Sprintf("its protocol is %q, not \"consumer\"", d.ProtocolType))
	}
	var others []string
	for _, member := range d.Members {
		if !a.ours(member, instanceIDs) {
			others = append(others, fmt.Sprintf("%s at %s", member.ClientID, strings.TrimPrefix(member.ClientHost, "/")))
		}
	}
	if len(others) > 0 {
		return inUse(group, "its members are not auditstream's: "+strings.Join(others, ", "))
	}
	return nil
}

func (a *Admin) ours(member kadm.DescribedGroupMember, instanceIDs []string) bool {
	if member.InstanceID != nil {
		for _, prefix := range instanceIDs {
			if prefix != "" && strings.HasPrefix(*member.InstanceID, prefix) {
				return true
			}
		}
	}
	return member.ClientID == a.clientID
}

// newProtocolGroup refuses a group of consumers, share consumers or streams of
// the newer protocols (KIP-848, KIP-932, KIP-1071) that is not empty.
func (a *Admin) newProtocolGroup(ctx context.Context, group string) error {
	var listed kadm.ListedGroups
	err := withCoordinator(ctx, func() (err error) {
		listed, err = a.ListGroups(ctx)
		return err
	})
	if err != nil {
		return asError(fmt.Errorf("list groups: %w", err))
	}
	g, ok := listed[group]
	if !ok || g.GroupType == "" || strings.EqualFold(g.GroupType, "classic") || g.State == "Empty" || g.State == "Dead" {
		return nil
	}
	return inUse(group, fmt.Sprintf("it is a group of type %q with members", g.GroupType))
}

func inUse(group, why string) error {
	return &Error{
		Configuration: true,
		Err:           fmt.Errorf("group %s is in use by others: %s; joining it would take partitions from them", group, why),
		Next:          "give this audit another name (the key name)",
	}
}

package processors

import (
	"errors"
	"fmt"
	"time"
)

// errReplaced says that another process has taken this member's place by its
// instance id, and that the place is taken back.
var errReplaced = errors.New("another process took this member's place by its instance id")

// replaced judges that another process has come with this one's instance id.
// Kafka lets the newcomer have the place, which is right when it follows one
// that was killed, and then nobody is left to be told. One that lives and has
// been a member for longer than a session takes its place back within a
// heartbeat: it is the newcomer that must end, with the reason. It does so once
// in that time, so that two old ones do not go on throwing each other out.
func (g *group) replaced(where string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	young := g.cfg.SessionTimeout
	now := time.Now()
	if g.since.IsZero() || now.Sub(g.since) < young || !g.reclaimed.IsZero() && now.Sub(g.reclaimed) < young {
		return &InstanceError{g.instance, where}
	}
	g.reclaimed = now
	g.log.Warn().Str("instance.id", g.instance).
		Msg("another process was started with this one's instance.id; taking the place in the group back")
	return fmt.Errorf("%w%s", errReplaced, where)
}

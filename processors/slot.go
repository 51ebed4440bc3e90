package processors

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// slot is an instance id that this process holds on its machine, by a lock on
// a file that the kernel gives up with the process, however that ends. Losing
// the folder loses nothing but the id's stability.
type slot struct {
	id   string
	file *os.File
}

const slotsPerHost = 256

// takeSlot locks the given instance id, or with none the host's name and the
// first free number.
func takeSlot(dir, name, id string) (*slot, error) {
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("state.dir is not set and there is no cache folder: %w", err)
		}
		dir = filepath.Join(cache, "auditstream")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("state.dir: %w", err)
	}
	if id != "" {
		s, err := lockSlot(dir, name, id)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &InstanceError{id, " on this machine"}
		}
		return s, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("instance.id is not set and the host has no name: %w", err)
	}
	for i := range slotsPerHost {
		s, err := lockSlot(dir, name, fmt.Sprintf("%s-%d", host, i))
		if errors.Is(err, syscall.EWOULDBLOCK) {
			continue
		}
		return s, err
	}
	return nil, fmt.Errorf("state.dir %s: all %d slots are taken", dir, slotsPerHost)
}

func lockSlot(dir, name, id string) (*slot, error) {
	plain := strings.NewReplacer("/", "_", string(filepath.Separator), "_").Replace(name + "-" + id)
	path := filepath.Join(dir, plain+".lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("state.dir: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &slot{id, file}, nil
}

func (s *slot) release() { s.file.Close() }

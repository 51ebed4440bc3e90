package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// demoFolders is the pattern of the folders for the state of demos.
const demoFolders = "auditstream-demo-*"

// demoLock is held in such a folder by the demo that it is of, and given up by
// the system when that process ends, however it does.
const demoLock = "demo.lock"

// demoState makes a folder for a demo's state and gives what removes it. Folders
// of demos that were killed are removed first.
func demoState() (folder string, remove func(), err error) {
	removeDeadDemos()
	folder, err = os.MkdirTemp("", demoFolders)
	if err != nil {
		return "", nil, fmt.Errorf("state of the demo: %w", err)
	}
	// It gets its name once it is held: nobody finds it free before.
	path := filepath.Join(folder, demoLock)
	lock, err := os.OpenFile(path+".new", os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		os.RemoveAll(folder)
		return "", nil, fmt.Errorf("state of the demo: %w", err)
	}
	return folder, func() {
		os.RemoveAll(folder)
		lock.Close()
	}, nil
}

// removeDeadDemos removes the folders whose lock nobody holds. One without a lock
// may be of a demo that is about to take it, and is left alone, as is what
// cannot be removed: it is another user's.
func removeDeadDemos() {
	folders, err := filepath.Glob(filepath.Join(os.TempDir(), demoFolders))
	if err != nil {
		return
	}
	for _, folder := range folders {
		lock, err := os.OpenFile(filepath.Join(folder, demoLock), os.O_RDWR|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(folder)
		}
		lock.Close()
	}
}

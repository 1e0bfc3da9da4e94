package processes

import (
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"syscall"
)

func run(c chan os.Signal) error {
	user.Current()
	signal.Notify(c, syscall.SIGTERM)
	os.Getpid()
	if err := exec.Command("a").Run(); err != syscall.ENOENT {
		return syscall.Kill(1, 0)
	}
	syscall.Getpagesize()
	return syscall.EAGAIN
}

package files

import (
	"io"
	"os"
	"path/filepath"
)

func read(f *os.File) {
	io.ReadAll(f)
	os.ReadFile("a")
	os.Getenv("A")
	filepath.Walk("a", nil)
	filepath.Join("a", "b")
	io.ReadAll(os.Stdin)
	os.Stdout.Write(nil)
}

package prints

import (
	"fmt"
	"log"
	"log/slog"
	"testing"
	"time"
)

type flat struct{ n int }

type node struct {
	n    int
	next *node
}

type named struct{ n *int }

func (named) String() string { return "" }

type failure struct{ n *int }

func (*failure) Error() string { return "" }

type wraps struct {
	Named named
	t     time.Time
}

type hides struct{ named named }

type logger struct{}

func (logger) Infof(format string, args ...any) {}
func (logger) Info(args ...any)                 {}
func printf[T any](format string, args ...any)  {}
func all(t *testing.T, l logger, format string, x any, err error) {
	i, f, n := new(int), &flat{}, &node{}
	fmt.Printf("%p", f)
	fmt.Printf("%v %v %+v", i, f, n)
	fmt.Printf("%5.2f %[3]v %*d", 1.5, 2, n, 4)
	fmt.Printf("%%p %d%%", 1, i)
	fmt.Printf("%T %s", i, named{})
	fmt.Printf("%d", named{i})
	fmt.Printf(format, i)
	fmt.Println(f, *f, n, *n)
	fmt.Println(named{}, &failure{}, failure{}, err, x)
	fmt.Println(wraps{}, hides{})
	fmt.Println(map[*flat]int{}, []*flat{}, [1]func(){}, make(chan int))
	fmt.Println([]any{i}...)
	fmt.Sprint(all)
	fmt.Sscan("1", i)
	_ = fmt.Errorf("%w: %v", err, i)
	log.Print(i)
	slog.Info("text", "key", i)
	t.Log(n)
	l.Infof("%v", i)
	l.Info(i)
	printf[int]("%x", i)
	println(i, 1, "text", x)
	print(n == nil)
}

func generic[T any, P *T](v T, p P) {
	fmt.Println(v, p)
}

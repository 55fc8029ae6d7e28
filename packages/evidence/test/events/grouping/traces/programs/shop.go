package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
)

type Cart struct{ price *int }

func (c *Cart) total(n int) int {
	if n%2 == 0 {
		panic(fmt.Sprintf("total of %d items is too high", n))
	}
	return *c.price
}

//go:noinline
func checkout(n int) int { return new(Cart).total(n) }

//go:noinline
func refund(n int) int { return new(Cart).total(n) }

func later(n int) int { return func(each int) int { return new(Cart).total(each) }(n) }

func deep(n int) int {
	if n == 0 {
		return checkout(2)
	}
	return deep(n - 1)
}

func tell(name string, run func()) {
	defer func() {
		if found := recover(); found != nil {
			line, _ := json.Marshal(map[string]string{"truth": name, "type": "panic", "message": fmt.Sprint(found), "stack": string(debug.Stack())})
			fmt.Fprintln(os.Stdout, string(line))
		}
	}()
	run()
}

func main() {
	for _, n := range []int{2, 40} {
		tell("checkout", func() { checkout(n) })
		tell("refund", func() { refund(n) })
		tell("callback", func() { later(n) })
		tell("recursion", func() { deep(n) })
		tell("property", func() { checkout(n + 1) })
	}
}

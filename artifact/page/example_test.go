// SPDX-License-Identifier: MPL-2.0

package page_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hmdsefi/faultline/artifact/page"
)

func ExampleWrite() {
	var b bytes.Buffer
	err := page.Write(&b, &page.Data{
		Head:    page.Head{Title: "TestKV/seed=0x2a", Status: "fail", Headline: "it broke", Failure: 0, FailedAt: 5, End: 5},
		Strings: []string{"", "fail", "it <broke>"},
		Records: page.Records{
			Seq: []int64{1}, At: []int64{5}, Node: []int{0}, Inc: []int{0}, Kind: []int{1}, Cause: []int{0}, Text: []int{2}, Attrs: [][]int{{}},
		},
	})
	fmt.Println(err, strings.Contains(b.String(), "<title>TestKV/seed=0x2a</title>"), strings.Contains(b.String(), "<broke>"))
	// Output: <nil> true false
}

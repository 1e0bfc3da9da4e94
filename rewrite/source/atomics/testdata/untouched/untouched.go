package untouched

// Load is a name that the rule looks for.
type store struct{ Load, Store func() }

func f(s store) {
	s.Load()
}

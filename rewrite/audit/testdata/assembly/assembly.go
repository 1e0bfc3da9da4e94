package assembly

func add(p *int64)

func sum(p []int64) int64

func other()

func tagged()

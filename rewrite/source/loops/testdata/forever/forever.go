package forever

func forever() {
	for {
	}
}

func count() {
	n := 0
	for {
		n++
	}
}

func blocks() {
	for {
		select {}
	}
}

func once() {
	for {
		return
	}
}

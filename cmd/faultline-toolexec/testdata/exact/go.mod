module example.com/exact

go 1.26.0

require github.com/hmdsefi/faultline v0.2.0

require github.com/hmdsefi/gograph v0.7.0 // indirect

module github.com/hmdsefi/faultline/harness/etcdraft

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/hmdsefi/faultline v0.2.0
	go.etcd.io/raft/v3 v3.7.0
	google.golang.org/protobuf v1.36.11
)

require github.com/hmdsefi/gograph v0.7.0 // indirect

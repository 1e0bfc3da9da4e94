package accepted

import "os"

func read() {
	//faultline:accept the file is embedded in the test
	os.ReadFile("a")
	os.ReadFile("b") //faultline:accept   a tool reads it
	os.ReadFile("c")
	//faultline:accept
	os.ReadFile("d")
	//faultline:acept misspelled
	os.ReadFile("e")
	// faultline:accept no directive
	os.ReadFile("f")
	os.ReadFile( //faultline:accept the call begins here
		"g")
	/* faultline */ //faultline:accept it stands above
	os.ReadFile("h")
}

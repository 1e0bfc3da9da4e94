// SPDX-License-Identifier: MPL-2.0

package audit

// row names functions, methods, as Type.Method, and variables of a package.
type row struct {
	names string // separated by blanks; * for every function of the package
	finding
}

var (
	realNetwork = finding{"it uses the machine's network: what arrives, and when, does not come from the seed",
		"use the network of the process (shims/netsim)"}
	realFile = finding{"it uses the machine's files: what they hold outlives the run and does not come from the seed",
		"use the files of the process (shims/fsx)"}
	otherProcess = finding{"another process runs beside the simulated world, in real time",
		"put it behind an interface that the test replaces"}
	signals       = finding{"signals come from outside the run", "let the process function end, or crash the node"}
	collector     = finding{"the function runs when the collector finds the object, on a goroutine outside the run", "release explicitly"}
	weakly        = finding{"the pointer becomes nil when the collector finds the object", "keep a pointer, or remove explicitly"}
	collecting    = finding{"what a collection frees depends on the whole process, not on the run", "leave it out of the code under test"}
	wholeProcess  = finding{"the result depends on the whole process, not on the run", "count in the code under test"}
	threads       = finding{"it changes which thread runs a goroutine; the run has one at a time", "leave it out of the code under test"}
	perMachine    = finding{"the result differs from machine to machine", "make it an option that the test sets"}
	perProcess    = finding{"the result differs from process to process", "make it an option that the test sets"}
	stacks        = finding{"a stack holds addresses and the numbers of goroutines", "use runtime.Caller or runtime.Callers"}
	addresses     = finding{"an address differs from process to process", "give objects numbers of their own"}
	systemCall    = finding{"a system call reaches the machine, past the simulated world", "use the network and the files of the process"}
	sharedLibrary = finding{"the code of a plugin is built without scheduling points", "link it into the test"}
)

const fileNames = "Chdir Chmod Chown Chtimes CopyFS Create CreateTemp DirFS Getwd Lchown Link Lstat Mkdir MkdirAll MkdirTemp " +
	"Open OpenFile OpenInRoot OpenRoot ReadDir ReadFile Readlink Remove RemoveAll Rename Stat Symlink Truncate WriteFile"

// table says what using a name of a package means, by its import path.
var table = map[string][]row{
	"crypto/tls": {{"Dial DialWithDialer Listen Dialer.Dial Dialer.DialContext", realNetwork}},
	"io/ioutil":  {{"ReadDir ReadFile TempDir TempFile WriteFile", realFile}},
	"log/syslog": {{"Dial New NewLogger", realNetwork}},
	"net": {{"Dial DialIP DialTCP DialTimeout DialUDP DialUnix FileConn FileListener FilePacketConn InterfaceAddrs InterfaceByIndex " +
		"InterfaceByName Interfaces Listen ListenIP ListenMulticastUDP ListenPacket ListenTCP ListenUDP ListenUnix ListenUnixgram " +
		"LookupAddr LookupCNAME LookupHost LookupIP LookupMX LookupNS LookupPort LookupSRV LookupTXT ResolveIPAddr ResolveTCPAddr " +
		"ResolveUDPAddr Dialer.Dial Dialer.DialContext Dialer.DialIP Dialer.DialTCP Dialer.DialUDP Dialer.DialUnix ListenConfig.Listen " +
		"ListenConfig.ListenPacket Resolver.LookupAddr Resolver.LookupCNAME Resolver.LookupHost Resolver.LookupIP " +
		"Resolver.LookupIPAddr Resolver.LookupMX Resolver.LookupNS Resolver.LookupNetIP Resolver.LookupPort Resolver.LookupSRV " +
		"Resolver.LookupTXT", realNetwork}},
	"net/http": {
		{"DefaultClient DefaultTransport Get Head ListenAndServe ListenAndServeTLS Post PostForm Server.ListenAndServe " +
			"Server.ListenAndServeTLS", realNetwork},
		{"Dir FileServer FileServerFS ServeFile", realFile},
	},
	"net/http/httptest": {{"NewServer NewTLSServer NewUnstartedServer", realNetwork}},
	"net/rpc":           {{"Dial DialHTTP DialHTTPPath", realNetwork}},
	"net/smtp":          {{"Dial SendMail", realNetwork}},
	"net/textproto":     {{"Dial", realNetwork}},
	"os": {
		{fileNames + " Pipe Stdin", realFile},
		{"FindProcess StartProcess", otherProcess},
		{"Executable Hostname", perMachine},
		{"Getpid Getppid", perProcess},
	},
	"os/exec":       {{"Command CommandContext LookPath", otherProcess}},
	"os/signal":     {{"Ignore Notify NotifyContext Reset", signals}},
	"os/user":       {{"Current Lookup LookupGroup LookupGroupId LookupId", perMachine}},
	"path/filepath": {{"EvalSymlinks Glob Walk WalkDir", realFile}},
	"plugin":        {{"Open", sharedLibrary}},
	"reflect":       {{"Value.Pointer Value.UnsafeAddr Value.UnsafePointer", addresses}},
	"runtime": {
		{"AddCleanup SetFinalizer", collector},
		{"GC", collecting},
		{"GoroutineProfile NumCgoCall NumGoroutine ReadMemStats", wholeProcess},
		{"GOMAXPROCS NumCPU", perMachine},
		{"LockOSThread", threads},
		{"Stack", stacks},
	},
	"runtime/debug": {
		{"FreeOSMemory", collecting},
		{"PrintStack Stack", stacks},
		{"ReadGCStats", wholeProcess},
	},
	"runtime/metrics":          {{"Read", wholeProcess}},
	"syscall":                  {{"*", systemCall}},
	"golang.org/x/sys/unix":    {{"*", systemCall}},
	"golang.org/x/sys/windows": {{"*", systemCall}},
	"weak":                     {{"Make Pointer.Value", weakly}},
}

// harmless are functions of packages with a row for every function that make no system call.
var harmless = map[string]bool{
	"BytePtrFromString": true, "BytePtrToString": true, "ByteSliceFromString": true, "ByteSliceToString": true, "Clearenv": true,
	"CmsgLen": true, "CmsgSpace": true, "Environ": true, "ErrnoName": true, "Getenv": true, "Getpagesize": true, "Major": true,
	"Minor": true, "Mkdev": true, "NsecToTimespec": true, "NsecToTimeval": true, "Setenv": true, "SignalName": true, "SignalNum": true,
	"TimespecToNsec": true, "TimevalToNsec": true, "UTF16FromString": true, "UTF16PtrFromString": true, "UTF16ToString": true,
	"Unsetenv": true,
}

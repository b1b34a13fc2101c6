// Command scale shows how many checks a server carries, on this very machine and on loopback alone.
//
//	go run ./healthroute/scale                     all cases, as a table; about twelve minutes
//	go run ./healthroute/scale -only 'tcp.*30s'    those whose name matches
//	go run ./healthroute/scale soak -for 10m       2,000 checks of which some hang and some flap, a line a minute, and a verdict
//
// The server is the real one, started from a Corefile in this process. Its targets, and who asks it, are processes of their own, so that what they need is
// not counted. A fifth of the targets hang: a tcp one has a full backlog and never completes a connection, an http one accepts and says nothing.
//
// It needs Linux: sockets that listen on all addresses of 127.0.0.0/8 are bound to the loopback interface.
package main

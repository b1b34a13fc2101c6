package probe

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// mysqlPacket is a packet of the MySQL protocol with number 0.
func mysqlPacket(payload string) string {
	return string([]byte{byte(len(payload)), byte(len(payload) >> 8), 0, 0}) + payload
}

// bindResponse is an LDAP message with a bind response of the given result code.
func bindResponse(code byte) string {
	return "\x30\x0c\x02\x01\x01\x61\x07\x0a\x01" + string([]byte{code}) + "\x04\x00\x04\x00"
}

func TestGreetings(t *testing.T) {
	handshake := "\x0a8.4.2\x00" + strings.Repeat("x", 60)
	tests := []struct {
		service config.ProbeType
		says    string // the whole, after what the client says first
		reason  string
	}{
		{config.ProbePostgres, "S", ""},
		{config.ProbePostgres, "N", ""},
		{config.ProbePostgres, "Ecould not fork new process for connection: Cannot allocate memory\n\x00",
			`the server refuses: "could not fork new process for connection: Cannot allocate memor"...`},
		{config.ProbePostgres, "SSH-2.0-OpenSSH\r\n", `not a PostgreSQL server: it says "SSH-2.0-OpenSSH\r\n"`},
		{config.ProbePostgres, "ERROR\r\n", `not a PostgreSQL server: it says "ERROR\r\n"`},
		{config.ProbePostgres, "HTTP/1.1 400 Bad Request\r\n\r\n", `not a PostgreSQL server: it says "HTTP/1.1 400 Bad Request\r\n\r\n"`},
		{config.ProbePostgres, "E\x00\x00", `connection closed waiting for the greeting of a PostgreSQL server, got "E\x00\x00"`},

		{config.ProbeMySQL, mysqlPacket(handshake), ""},
		{config.ProbeMySQL, mysqlPacket("\x0a5.5.5-10.11.6-MariaDB\x00" + handshake), ""},
		{config.ProbeMySQL, mysqlPacket("\xff\x10\x04Too many connections"), `the server refuses: "Too many connections"`},
		{config.ProbeMySQL, mysqlPacket("\x09old\x00more"), `not a MySQL server: it says ...`},
		{config.ProbeMySQL, mysqlPacket("\x0a8.4.2 without an end"), `not a MySQL server: it says ...`},
		{config.ProbeMySQL, "\x00\x00\x00\x00\x0a", `not a MySQL server: it says "\x00\x00\x00\x00\n"`},
		{config.ProbeMySQL, "SSH-2.0-OpenSSH\r\n", `not a MySQL server: it says "SSH-2.0-OpenSSH\r\n"`},
		{config.ProbeMySQL, mysqlPacket(handshake)[:8], `connection closed waiting for the greeting of a MySQL server, got "C\x00\x00\x00\n8.4"`},

		{config.ProbeRedis, "+PONG\r\n", ""},
		{config.ProbeRedis, "+PONG\n", ""},
		{config.ProbeRedis, "-NOAUTH Authentication required.\r\n", ""},
		{config.ProbeRedis, "-DENIED Redis is running in protected mode\r\n", ""},
		{config.ProbeRedis, "-NOPERM this user has no permissions\r\n", ""},
		{config.ProbeRedis, "-LOADING Redis is loading the dataset in memory\r\n", `the server refuses: "-LOADING Redis is loading the dataset in memory"`},
		{config.ProbeRedis, "-ERR max number of clients reached\r\n", `the server refuses: "-ERR max number of clients reached"`},
		{config.ProbeRedis, "-MASTERDOWN Link with MASTER is down\r\n", `the server refuses: "-MASTERDOWN Link with MASTER is down"`},
		{config.ProbeRedis, "ERROR\r\n", `not a Redis server: it says "ERROR\r\n"`},
		{config.ProbeRedis, "- odd\r\n", `not a Redis server: it says "- odd\r\n"`},
		{config.ProbeRedis, "+PONGO\r\n", `not a Redis server: it says "+PONGO\r\n"`},
		{config.ProbeRedis, "+PONG", `connection closed waiting for the greeting of a Redis server, got "+PONG"`},

		{config.ProbeSMTP, "220 mail.example ESMTP\r\n", ""},
		{config.ProbeSMTP, "220\r\n", ""},
		{config.ProbeSMTP, "220-mail.example ESMTP\r\n220-be patient\r\n220 go on\r\n", ""},
		{config.ProbeSMTP, "421 too busy\r\n", `the server refuses: "421 too busy"`},
		{config.ProbeSMTP, "554 no service\r\n", `the server refuses: "554 no service"`},
		{config.ProbeSMTP, "220-mail.example\r\n554 after all\r\n", `the server refuses: "554 after all"`},
		{config.ProbeSMTP, "220-mail.example\r\n", `connection closed waiting for the greeting of an SMTP server, got "220-mail.example\r\n"`},
		{config.ProbeSMTP, "220+mail\r\n", `not an SMTP server: it says "220+mail\r\n"`},
		{config.ProbeSMTP, "* OK IMAP\r\n", `not an SMTP server: it says "* OK IMAP\r\n"`},

		{config.ProbeIMAP, "* OK [CAPABILITY IMAP4rev2] ready\r\n", ""},
		{config.ProbeIMAP, "* PREAUTH as smith\r\n", ""},
		{config.ProbeIMAP, "* ok\r\n", ""},
		{config.ProbeIMAP, "* BYE too many connections\r\n", `the server refuses: "* BYE too many connections"`},
		{config.ProbeIMAP, "* NO idea\r\n", `not an IMAP server: it says "* NO idea\r\n"`},
		{config.ProbeIMAP, "+OK POP3\r\n", `not an IMAP server: it says "+OK POP3\r\n"`},

		{config.ProbeLDAP, bindResponse(0), ""},
		{config.ProbeLDAP, bindResponse(48), ""}, // no anonymous clients here
		{config.ProbeLDAP, bindResponse(53), ""},
		{config.ProbeLDAP, "\x30\x84\x00\x00\x00\x10\x02\x01\x01\x61\x84\x00\x00\x00\x07\x0a\x01\x00\x04\x00\x04\x00", ""}, // long lengths, as Active Directory writes them
		{config.ProbeLDAP, bindResponse(51), "the server is busy"},
		{config.ProbeLDAP, bindResponse(52), "the server is unavailable"},
		{config.ProbeLDAP, "\x30\x0c\x02\x01\x00\x78\x07\x0a\x01\x34\x04\x00\x04\x00", "the server disconnects us"},
		{config.ProbeLDAP, "\x30\x0c\x02\x01\x02\x61\x07\x0a\x01\x00\x04\x00\x04\x00", "not an LDAP server: it says ..."},
		{config.ProbeLDAP, "\x30\x03\x02\x01\x01", "not an LDAP server: it says ..."},
		{config.ProbeLDAP, "\x30\x80", "not an LDAP server: it says ..."},
		{config.ProbeLDAP, "\x30\x84\x7f\xff\xff\xff", "not an LDAP server: it says ..."},
		{config.ProbeLDAP, "HTTP/1.1 400\r\n", `not an LDAP server: it says "HTTP/1.1 400\r\n"`},
		{config.ProbeLDAP, bindResponse(0)[:7], `connection closed waiting for the greeting of an LDAP server, got "0\f\x02\x01\x01a\a"`},
	}
	for i, test := range tests {
		t.Run(fmt.Sprintf("%02d %s", i, test.service), func(t *testing.T) {
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			hello := greetings[test.service].hello
			whole := serve(t, func(conn net.Conn) {
				conn.Read(make([]byte, len(hello)))
				conn.Write([]byte(test.says))
				conn.(*net.TCPConn).CloseWrite()
				silent(conn)
			})
			prober := proberOf(t, test.service)
			expect(t, attempt(t, prober, at(whole), patience), outcome, test.reason)
			if strings.HasPrefix(test.reason, "not a") {
				return // how much of it is quoted depends on what has come
			}
			dripping := serve(t, func(conn net.Conn) {
				conn.Read(make([]byte, len(hello)))
				for i := range len(test.says) {
					conn.Write([]byte(test.says[i : i+1]))
				}
				conn.(*net.TCPConn).CloseWrite()
				silent(conn)
			})
			expect(t, attempt(t, prober, at(dripping), patience), outcome, test.reason)
		})
	}
}

// Every greeting meets every bad server.
func TestGreetingMisbehaviour(t *testing.T) {
	for service := range greetings {
		t.Run(string(service), func(t *testing.T) {
			prober := proberOf(t, service)
			waiting := "waiting for the greeting of " + greetings[service].server + ", got nothing"
			expect(t, attempt(t, prober, at(serve(t, silent)), briefly), Fail, "timed out "+waiting)
			expect(t, attempt(t, prober, at(serve(t, then(reads0(service), resets))), patience), Fail, "connection reset ...")
			expect(t, attempt(t, prober, at(serve(t, reads0(service))), patience), Fail, "connection closed "+waiting)
			expect(t, attempt(t, prober, at(serve(t, repeats("\x16\x03\x01\x00\x01"))), patience), Fail, "not "+greetings[service].server+": it says ...")
		})
	}
	endless := serve(t, then(writes("* OK "), repeats("x")))
	expect(t, attempt(t, proberOf(t, config.ProbeIMAP), at(endless), patience), Fail, "the first 5120 bytes are no greeting of an IMAP server: ...")
	endless = serve(t, repeats("220-go on\r\n"))
	expect(t, attempt(t, proberOf(t, config.ProbeSMTP), at(endless), patience), Fail, "the first 5120 bytes are no greeting of an SMTP server: ...")
}

// reads0 takes what the client says first, if it does.
func reads0(service config.ProbeType) behaviour {
	return func(conn net.Conn) {
		if greetings[service].hello != "" {
			reads(conn)
		}
	}
}

// A client says goodbye where that is good manners.
func TestGreetingGoodbye(t *testing.T) {
	for service, ok := range map[config.ProbeType]string{config.ProbeSMTP: "220 \r\n", config.ProbeIMAP: "* OK\r\n", config.ProbeLDAP: bindResponse(0)} {
		heard := make(chan string, 1)
		server := serve(t, func(conn net.Conn) {
			reads0(service)(conn)
			conn.Write([]byte(ok))
			buffer := make([]byte, 64)
			n, _ := conn.Read(buffer)
			heard <- string(buffer[:n])
		})
		expect(t, attempt(t, proberOf(t, service), at(server), patience), Pass, "")
		if got := <-heard; got != greetings[service].bye {
			t.Errorf("Expected %q from a client of %s, got %q", greetings[service].bye, service, got)
		}
	}
}

// FuzzGreeting feeds whatever a server may say to every greeting, at once and byte by byte.
func FuzzGreeting(f *testing.F) {
	for _, seed := range []string{"S", "Ex\x00", mysqlPacket("\x0a8\x00"), "+PONG\r\n", "-ERR\r\n", "220-a\r\n220 b\r\n", "* OK\r\n", bindResponse(0), "\x30\x84\x00\x00\x00\x01\x02", "HTTP/1.1 400\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		for service, greeting := range greetings {
			for n := 1; n <= min(len(said), 64); n++ {
				if done, _ := greeting.judge(said[:n]); done {
					break
				}
			}
			if len(said) == 0 {
				continue
			}
			if _, f := greeting.judge(said); f != nil && (len(f.reason) > 512 || strings.ContainsAny(f.reason, "\r\n\x00")) {
				t.Errorf("Expected a short line about %s, got %q", service, f.reason)
			}
		}
	})
}

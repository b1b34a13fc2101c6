package probe

import (
	"bytes"
)

// The services here speak in bytes.

// postgres is asked whether it speaks TLS (PostgreSQL documentation, Message Formats, SSLRequest): eight bytes, length and code 80877103.
// It answers with one byte, S or N, and notes nothing in its log when we go then. E begins an error: today only that it has no process
// for us.
var postgres = greeting{
	server: postgresServer,
	hello:  "\x00\x00\x00\x08\x04\xd2\x16\x2f",
	judge: func(reply []byte) (bool, *finding) {
		switch {
		case len(reply) == 1 && (reply[0] == 'S' || reply[0] == 'N'):
			return true, nil
		case reply[0] != 'E' || bytes.ContainsRune(reply, '\r'):
			return stranger(postgresServer, reply)
		case len(bytes.Trim(reply[1:], "\x00")) > 0 && reply[len(reply)-1] == 0: // how the text of protocol 2 and the fields of protocol 3 end
			return refusal(bytes.Trim(reply[1:], "\x00"))
		}
		return false, nil
	},
}

// mysql opens with a packet: three bytes of length, lowest first, number 0, and in it protocol version 10 and the server's version as
// text up to a zero byte, or 0xff, a code and the text of an error (MySQL Internals, Protocol::Handshake and ERR_Packet).
var mysql = greeting{
	server: mysqlServer,
	judge: func(reply []byte) (bool, *finding) {
		const header = 4
		if len(reply) > 3 && reply[3] != 0 || len(reply) > header && reply[header] != 10 && reply[header] != 0xff {
			return stranger(mysqlServer, reply)
		}
		if len(reply) <= header {
			return false, nil
		}
		length := int(reply[0]) | int(reply[1])<<8 | int(reply[2])<<16
		if length < 3 || length > maxCompared-header {
			return stranger(mysqlServer, reply)
		}
		packet := reply[header:min(len(reply), header+length)]
		switch whole := len(packet) == length; {
		case packet[0] == 0xff && whole:
			return refusal(packet[3:])
		case packet[0] == 10 && bytes.IndexByte(packet, 0) > 1:
			return true, nil
		case whole:
			return stranger(mysqlServer, reply)
		}
		return false, nil
	},
}

// ldap is asked for an anonymous bind (RFC 4511, 4.2). Any bind response tells that the server answers, also one that refuses anonymous
// clients; busy and unavailable tell that it does not work.
var ldap = greeting{
	server: ldapServer,
	hello: "\x30\x0c" + // LDAPMessage
		"\x02\x01\x01" + // messageID 1
		"\x60\x07" + // bindRequest
		"\x02\x01\x03" + // version 3
		"\x04\x00" + // name: none
		"\x80\x00", // simple: no password
	judge: func(reply []byte) (bool, *finding) {
		message, _, state := element(reply, 0x30)
		switch state {
		case berPart:
			return false, nil
		case berNone:
			return stranger(ldapServer, reply)
		}
		id, op, _ := element(message, 0x02)
		if bytes.Equal(id, []byte{0}) && len(op) > 0 && op[0] == 0x78 { // 4.4.1
			return true, failed("the server disconnects us")
		}
		response, _, _ := element(op, 0x61)
		code, _, _ := element(response, 0x0a)
		if !bytes.Equal(id, []byte{1}) || len(code) != 1 {
			return stranger(ldapServer, reply)
		}
		if word := ldapTrouble[code[0]]; word != "" {
			return true, failed("the server is %s", word)
		}
		return true, nil
	},
	bye: "\x30\x05\x02\x01\x02\x42\x00", // unbindRequest, messageID 2
}

// ldapTrouble are the results of a server that does not work (RFC 4511, A.1).
var ldapTrouble = map[byte]string{51: "busy", 52: "unavailable"}

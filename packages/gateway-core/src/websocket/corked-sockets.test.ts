import { setImmediate as turn } from 'node:timers/promises'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { CorkedSockets } from './corked-sockets.ts'

/** A socket that records the data of each write. */
function socketOf(): { readonly socket: Writable; readonly written: readonly string[] } {
  const written: string[] = []
  const socket = new Writable({
    decodeStrings: false,
    write: (chunk: string, _, done) => {
      written.push(chunk)
      done()
    },
    writev: (chunks, done) => {
      written.push(chunks.map(({ chunk }) => String(chunk)).join(''))
      done()
    },
  })
  return { socket, written }
}

it('sends all writes of an event-loop tick together', async () => {
  const sockets = new CorkedSockets()
  const [one, other] = [socketOf(), socketOf()]
  const [toOne, toOther] = [sockets.of(one.socket), sockets.of(other.socket)]
  const sent: string[] = []
  toOne.write('a', () => sent.push('a'))
  toOther.write('x')
  toOne.write('bc', () => sent.push('bc'))
  expect([toOne.collected, toOther.collected, one.written]).toEqual([3, 1, []])
  await turn()
  await turn()
  expect([one.written, other.written, sent]).toEqual([['abc'], ['x'], ['a', 'bc']])
  toOne.write('d')
  await turn()
  expect([one.written, toOne.collected]).toEqual([['abc', 'd'], 0])
})

it('preserves the order with direct writes to the socket', async () => {
  const { socket, written } = socketOf()
  const corked = new CorkedSockets().of(socket)
  corked.write('a')
  corked.flush()
  socket.write('B')
  corked.write('c')
  await turn()
  expect(written).toEqual(['aBc'])
})

it('reports failed writes as well', async () => {
  const { socket } = socketOf()
  const corked = new CorkedSockets().of(socket)
  const sent: string[] = []
  corked.write('a', () => sent.push('a'))
  socket.destroy()
  await turn()
  await turn()
  expect(sent).toEqual(['a'])
})

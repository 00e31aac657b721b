import { setImmediate as turn } from 'node:timers/promises'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { CorkedSockets } from './corked-sockets.ts'

/** A socket that records the data of each write. */
function socketOf(): { readonly socket: Writable; readonly handed: readonly string[] } {
  const handed: string[] = []
  const socket = new Writable({
    decodeStrings: false,
    write: (chunk: string, _, done) => {
      handed.push(chunk)
      done()
    },
    writev: (chunks, done) => {
      handed.push(chunks.map(({ chunk }) => String(chunk)).join(''))
      done()
    },
  })
  return { socket, handed }
}

it('hands over what is written within a turn at once', async () => {
  const sockets = new CorkedSockets()
  const [one, other] = [socketOf(), socketOf()]
  const [toOne, toOther] = [sockets.of(one.socket), sockets.of(other.socket)]
  const sent: string[] = []
  toOne.write('a', () => sent.push('a'))
  toOther.write('x')
  toOne.write('bc', () => sent.push('bc'))
  expect([toOne.collected, toOther.collected, one.handed]).toEqual([3, 1, []])
  await turn()
  await turn()
  expect([one.handed, other.handed, sent]).toEqual([['abc'], ['x'], ['a', 'bc']])
  toOne.write('d')
  await turn()
  expect([one.handed, toOne.collected]).toEqual([['abc', 'd'], 0])
})

it('keeps the order with what others write to the socket', async () => {
  const { socket, handed } = socketOf()
  const corked = new CorkedSockets().of(socket)
  corked.write('a')
  corked.giveWay()
  socket.write('B')
  corked.write('c')
  await turn()
  expect(handed).toEqual(['aBc'])
})

it('tells of what will not leave as well', async () => {
  const { socket } = socketOf()
  const corked = new CorkedSockets().of(socket)
  const sent: string[] = []
  corked.write('a', () => sent.push('a'))
  socket.destroy()
  await turn()
  await turn()
  expect(sent).toEqual(['a'])
})

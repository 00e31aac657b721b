import { Address, beginCell, loadMessage, toNano } from '@ton/core'
import { beforeAll, expect, test } from 'vitest'
import { comment, hashesOf, raw, useV3Server, type Input, type Json } from '../../../../test/jetton-v3.ts'
import type { ChainTransaction } from '../../chain/jetton-chain.ts'

/** A message that the test finds in the transactions themselves. */
interface Found {
  hash: string
  bodyHash: string
  opcode: number | undefined
  source: string | undefined
  destination: string | undefined
  lt: bigint | undefined
  utime: number
  sender: ChainTransaction | undefined
  receiver: ChainTransaction | undefined
}

const server = useV3Server()
const otherAddress = Address.parseRaw(`0:${'5a'.repeat(32)}`)
let wallet: Address
let coins: ChainTransaction
let found: Found[] = []
beforeAll(async () => {
  wallet = Address.parse(server.chain.example.wallet)
  const transfer = { to: otherAddress, value: toNano(1), bounce: false, body: comment('for the receiver') }
  const trace = await server.send([transfer])
  coins = trace.transactions[1] as ChainTransaction
  found = findAll(server.chain.transactions)
})

/** Reads every message once, directly from the cells. */
function findAll(transactions: readonly ChainTransaction[]): Found[] {
  const messages = new Map<string, Found>()
  for (const transaction of transactions) {
    const cells = transaction.parse().raw.refs[0]?.beginParse()
    const incoming = cells?.loadMaybeRef()
    const outgoing = transaction.parse().outMessages.values()
    const add = (hash: Buffer, message: ReturnType<typeof loadMessage>, part: Partial<Found>) => {
      const { info, body } = message
      const known = messages.get(hash.toString('base64'))
      messages.set(hash.toString('base64'), {
        hash: hash.toString('base64'),
        bodyHash: body.hash().toString('base64'),
        opcode: body.bits.length < 32 ? undefined : body.beginParse().loadUint(32),
        source: info.type === 'external-in' ? undefined : raw(info.src),
        destination: info.type === 'external-out' ? undefined : raw(info.dest),
        lt: info.type === 'external-in' ? undefined : info.createdLt,
        utime: info.type === 'external-in' ? 0 : info.createdAt,
        sender: part.sender ?? known?.sender,
        receiver: part.receiver ?? known?.receiver,
      })
    }
    if (incoming) add(incoming.hash(), loadMessage(incoming.beginParse()), { receiver: transaction })
    for (const [index, message] of outgoing.entries()) {
      const cell = outgoingCell(transaction, index)
      add(cell.hash(), message, { sender: transaction })
    }
  }
  return [...messages.values()]
}

function outgoingCell(transaction: ChainTransaction, index: number) {
  const child = transaction.children.find((item) => {
    const message = item.parse().inMessage?.info
    const sent = transaction.parse().outMessages.get(index)?.info
    return message?.type === 'internal' && sent?.type === 'internal' && message.createdLt === sent.createdLt
  })
  const cell = child?.parse().raw.refs[0]?.refs[0]
  if (cell === undefined) throw new Error('each message of the sample data is taken in')
  return cell
}

const hashes = (response: Json): string[] => (response.messages ?? []).map(({ hash }: Json) => hash)

test('messages by every filter', async () => {
  const internal = found
    .filter(({ lt }) => lt !== undefined)
    .toSorted((left, right) => Number((right.lt ?? 0n) - (left.lt ?? 0n)))
  const external = found.filter(({ lt }) => lt === undefined)
  const coinsMessage = internal.find(({ receiver }) => receiver === coins) as Found
  const { now } = coins
  const lt = coinsMessage.lt ?? 0n
  const cases: [filter: Input, expected: readonly Found[]][] = [
    [{ exclude_externals: true }, internal],
    [{ exclude_externals: true, sort: 'asc' }, internal.toReversed()],
    [{ exclude_externals: true, limit: 4, offset: 3 }, internal.slice(3, 7)],
    [{ msg_hash: coinsMessage.hash }, [coinsMessage]],
    [{ hash: Buffer.from(coinsMessage.hash, 'base64').toString('hex') }, [coinsMessage]],
    [{ body_hash: coinsMessage.bodyHash }, [coinsMessage]],
    [{ destination: otherAddress.toString() }, [coinsMessage]],
    [{ source: wallet.toString() }, internal.filter(({ source }) => source === raw(wallet))],
    [{ opcode: '0x0f8a7ea5' }, internal.filter(({ opcode }) => opcode === 0x0f8a7ea5)],
    [{ opcode: 0xd53276db | 0 }, internal.filter(({ opcode }) => opcode === 0xd53276db)],
    [{ direction: 'out' }, internal],
    [{ start_lt: lt }, internal.filter((item) => (item.lt ?? 0n) >= lt)],
    [{ end_lt: lt - 1n }, internal.filter((item) => (item.lt ?? 0n) < lt)],
    [{ start_utime: now }, internal.filter(({ utime }) => utime >= now)],
    [{ end_utime: now - 1 }, internal.filter(({ utime }) => utime < now)],
    [{ destination: 'null' }, []],
  ]
  for (const [filter, expected] of cases) {
    const response = await server.rows('messages', filter)
    expect(hashes(response), Object.keys(filter).join()).toEqual(expected.map(({ hash }) => hash))
  }
  const externalHashes = external.map(({ hash }) => hash).toSorted()
  for (const filter of [{ only_externals: true }, { source: 'null' }, { source: 'null', direction: 'in' }]) {
    expect(hashes(await server.rows('messages', filter)).toSorted()).toEqual(externalHashes)
  }
  const toWallet = hashes(await server.rows('messages', { destination: raw(wallet) }))
  const internalToWallet = internal.filter(({ destination }) => destination === raw(wallet))
  const externalToWallet = external.filter(({ destination }) => destination === raw(wallet))
  expect(toWallet.slice(externalToWallet.length)).toEqual(internalToWallet.map(({ hash }) => hash))
  expect(new Set(toWallet.slice(0, externalToWallet.length))).toEqual(
    new Set(externalToWallet.map(({ hash }) => hash)),
  )
  // An external message has no logical time, and such messages count as the latest.
  const all = hashes(await server.rows('messages', { limit: 1000 }))
  expect(all.slice(0, externalHashes.length).toSorted()).toEqual(externalHashes)
  expect(all).toHaveLength(found.length)
})

test('a message from outside is found by both of its hashes', async () => {
  const { externalHash, externalHashNorm } = coins.trace
  for (const hash of [externalHash, externalHashNorm]) {
    const { messages } = await server.rows('messages', { msg_hash: hash.toString('base64') })
    expect(messages).toEqual([
      expect.objectContaining({
        hash: externalHash.toString('base64'),
        hash_norm: externalHashNorm.toString('base64'),
        source: null,
        destination: raw(wallet),
        created_lt: null,
        value: null,
        import_fee: '0',
        in_msg_tx_hash: coins.trace.id.toString('base64'),
      }),
    ])
    expect(messages[0]).not.toHaveProperty('out_msg_tx_hash')
  }
})

test('a message with its transactions and its text', async () => {
  const { messages, address_book, metadata } = await server.rows('messages', {
    destination: raw(otherAddress),
  })
  expect(messages).toHaveLength(1)
  expect(messages[0]).toMatchObject({
    source: raw(wallet),
    value: String(toNano(1)),
    opcode: '0x00000000',
    decoded_opcode: 'text_comment',
    bounce: false,
    in_msg_tx_hash: coins.hash.toString('base64'),
    out_msg_tx_hash: coins.parent?.hash.toString('base64'),
    message_content: {
      decoded: { type: 'text_comment', '@type': 'text_comment', comment: 'for the receiver' },
    },
  })
  expect(messages[0]).not.toHaveProperty('hash_norm')
  expect(Object.keys(address_book).toSorted()).toEqual([raw(wallet), raw(otherAddress)].toSorted())
  expect(metadata).toEqual({})
})

test('transactions by their messages', async () => {
  const coinsMessage = found.find(({ receiver }) => receiver === coins) as Found
  const { parent } = coins
  if (parent === undefined) throw new Error('a wallet sent the coins')
  const burns = found.flatMap(({ opcode, receiver }) =>
    opcode === 0x595f07bc && receiver !== undefined ? [receiver] : [],
  )
  const cases: [filter: Input, expected: readonly ChainTransaction[]][] = [
    [{ msg_hash: coinsMessage.hash }, [coins, parent]],
    [{ msg_hash: coinsMessage.hash, direction: 'in' }, [coins]],
    [{ msg_hash: coinsMessage.hash, direction: 'out' }, [parent]],
    [{ body_hash: coinsMessage.bodyHash, limit: 1, offset: 1 }, [parent]],
    [{ msg_hash: [coinsMessage.hash, coins.trace.externalHashNorm.toString('hex')] }, [coins, parent]],
    [{ opcode: '0x595f07bc' }, burns.toReversed()],
    [{ opcode: '0x12345678' }, []],
  ]
  expect(burns).toHaveLength(3)
  for (const [filter, expected] of cases) {
    const { transactions } = await server.rows('transactionsByMessage', filter)
    const hashesFound = (transactions ?? []).map(({ hash }: Json) => hash)
    expect(hashesFound, Object.keys(filter).join()).toEqual(hashesOf(expected))
  }
})

test('decodes operation codes and bodies by GET and POST', async () => {
  const owner = wallet
  const transfer = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(7, 64)
    .storeCoins(5)
    .storeAddress(owner)
    .storeAddress(null)
    .storeMaybeRef(comment('custom'))
    .storeCoins(1)
    .storeBit(true)
    .storeRef(comment('forward'))
    .endCell()
  const burn = beginCell().storeUint(0x595f07bc, 32).storeUint(8, 64).storeCoins(6).endCell()
  const unknown = beginCell().storeUint(0x12345678, 32).endCell()
  const torn = beginCell().storeUint(0x0f8a7ea5, 32).endCell()
  const filter = {
    opcodes: [
      '0x0f8a7ea5',
      '178d4519',
      '0x7362d09c',
      '0x595f07bc',
      '0x7bdd97de',
      '0xd53276db',
      '0',
      '0x12345678',
    ],
    bodies: [
      transfer.toBoc().toString('base64'),
      burn.toBoc().toString('hex'),
      comment('héllo').toBoc().toString('base64url'),
      unknown.toBoc().toString('base64'),
      torn.toBoc().toString('base64'),
    ],
  }
  const expected = {
    opcodes: [
      'jetton_transfer',
      'jetton_internal_transfer',
      'jetton_notify',
      'jetton_burn',
      'jetton_burn_notification',
      'excess',
      'text_comment',
      'unknown',
    ],
    bodies: [
      {
        '@type': 'jetton_transfer',
        query_id: '7',
        amount: '5',
        destination: raw(owner),
        response_destination: null,
        custom_payload: comment('custom').toBoc().toString('base64'),
        forward_ton_amount: '1',
        forward_payload: comment('forward').toBoc().toString('base64'),
      },
      {
        '@type': 'jetton_burn',
        query_id: '8',
        amount: '6',
        response_destination: null,
        custom_payload: null,
      },
      { type: 'text_comment', '@type': 'text_comment', comment: 'héllo' },
      {},
      {},
    ],
  }
  expect(await server.rows('decode', filter)).toEqual(expected)
  expect((await server.post('decode', filter)).body).toEqual(expected)
  expect(await server.rows('decode')).toEqual({ opcodes: [], bodies: [] })
})

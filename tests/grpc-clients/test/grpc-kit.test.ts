import { createGrpcClient } from '@fairlead/grpc'
import { CommitmentLevel, GeyserDefinition, SlotStatus } from '@fairlead/grpc/geyser'
import {
  accountKeys,
  decodeTransactionError,
  encodeBase58,
  type GeyserFilters,
  type GeyserUpdate,
  lamportChanges,
  logMessages,
  subscribeGeyser,
  tokenBalanceChanges,
} from '@fairlead/grpc/solana'
import { generateKeyPairSigner, isSolanaError, type Signature } from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  getInitializeAccount3Instruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  getTokenSize,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { asJson } from './grpc/solana-error.ts'
import { solanaWriter } from './grpc/solana-writer.ts'

// The third-party client sends transactions on the embedded chain. Our client receives their updates through the
// gateway.
const {
  nodes: [, , , node],
} = inject('development')
const writer = solanaWriter(node.rpc_url)
const geyser = createGrpcClient(GeyserDefinition, {
  url: node.grpc_url,
  auth: { kind: 'x-token', token: node.x_token },
})
afterAll(() => geyser.close())

/**
 * Subscribes with filters that include `slots`, acts once the stream is active, and reads until it has enough updates.
 */
async function collectUpdates(
  filters: GeyserFilters,
  act: () => Promise<Signature>,
  isEnough: (updates: readonly GeyserUpdate[], signature: Signature) => boolean,
): Promise<{ readonly updates: readonly GeyserUpdate[]; readonly signature: Signature }> {
  const updates: GeyserUpdate[] = []
  let acting: Promise<void> | undefined
  let signature: Signature | undefined
  for await (const update of subscribeGeyser(geyser, filters, { signal: AbortSignal.timeout(60_000) })) {
    updates.push(update)
    acting ??= act().then((sentSignature) => void (signature = sentSignature))
    if (signature !== undefined && isEnough(updates, signature)) break
  }
  await acting
  if (signature === undefined) throw new Error('nothing was sent')
  return { updates, signature }
}

/** Finds the transaction with a signature, and its slot, among updates. */
function find(updates: readonly GeyserUpdate[], signature: Signature) {
  for (const { updateOneof } of updates) {
    if (updateOneof.$case !== 'transaction') continue
    const { slot, transaction } = updateOneof.value
    if (transaction && encodeBase58(transaction.signature) === signature) return { slot, transaction }
  }
  return undefined
}

const statusesOf = (updates: readonly GeyserUpdate[], expectedSlot: bigint | undefined): SlotStatus[] =>
  updates.flatMap(({ updateOneof }) =>
    updateOneof.$case === 'slot' && updateOneof.value.slot === expectedSlot ? [updateOneof.value.status] : [],
  )

const { CONFIRMED, FINALIZED } = CommitmentLevel
const statusOf = async (signature: Signature) =>
  (await writer.rpc.getSignatureStatuses([signature]).send()).value[0]

describe('a transaction of @solana/kit', () => {
  it('is included, changes an account, and becomes finalized', async () => {
    const [payer, receiver] = await Promise.all([writer.createPayer(), generateKeyPairSigner()])
    const amount = 123_456_789n
    const { updates, signature } = await collectUpdates(
      {
        slots: { slots: {} },
        transactions: { mine: { accountInclude: [payer.address] } },
        accounts: { receiver: { account: [receiver.address] } },
      },
      () =>
        writer.send(payer, [
          getTransferSolInstruction({ source: payer, destination: receiver.address, amount }),
        ]),
      (collected, sentSignature) => {
        const { slot } = find(collected, sentSignature) ?? {}
        return slot !== undefined && statusesOf(collected, slot).includes(SlotStatus.SLOT_FINALIZED)
      },
    )
    const { slot, transaction } = find(updates, signature) ?? {}
    if (!transaction) throw new Error('the transaction has arrived')
    expect(statusesOf(updates, slot)).toEqual([
      SlotStatus.SLOT_PROCESSED,
      SlotStatus.SLOT_CONFIRMED,
      SlotStatus.SLOT_FINALIZED,
    ])
    expect(accountKeys(transaction)[0]).toMatchObject({
      address: payer.address,
      signer: true,
      writable: true,
    })
    expect(lamportChanges(transaction).map(({ address, change }) => [address, change])).toEqual([
      [payer.address, -amount - 5_000n],
      [receiver.address, amount],
    ])
    const accounts = updates.flatMap(({ updateOneof }) =>
      updateOneof.$case === 'account' ? [updateOneof.value] : [],
    )
    expect(accounts).toHaveLength(1)
    expect(accounts[0]).toMatchObject({ slot, account: { lamports: amount } })
    const { txnSignature = new Uint8Array() } = accounts[0]?.account ?? {}
    expect(encodeBase58(txnSignature)).toBe(signature)
    expect(await statusOf(signature)).toMatchObject({ slot, err: null, confirmationStatus: 'finalized' })
  })

  it.each([
    ['confirmed', CONFIRMED],
    ['finalized', FINALIZED],
  ] as const)('arrives at %s when it is, not before', async (name, commitment) => {
    const payer = await writer.createPayer()
    const { updates, signature } = await collectUpdates(
      { commitment, slots: { slots: {} }, transactions: { mine: { accountRequired: [payer.address] } } },
      () =>
        writer.send(payer, [
          getTransferSolInstruction({ source: payer, destination: payer.address, amount: 1n }),
        ]),
      (collected, sentSignature) => find(collected, sentSignature) !== undefined,
    )
    const { slot } = find(updates, signature) ?? {}
    // The content of a block at a commitment level arrives before the notification that the block has reached it.
    const targetStatus = commitment === CONFIRMED ? SlotStatus.SLOT_CONFIRMED : SlotStatus.SLOT_FINALIZED
    expect(statusesOf(updates, slot)).not.toContain(targetStatus)
    const levels = ['processed', 'confirmed', 'finalized']
    const status = await statusOf(signature)
    expect(levels.indexOf(status?.confirmationStatus ?? '')).toBeGreaterThanOrEqual(levels.indexOf(name))
  })

  it('with tokens has the balances before and after', async () => {
    const [payer, mint, from, to] = await Promise.all([
      writer.createPayer(),
      generateKeyPairSigner(),
      generateKeyPairSigner(),
      generateKeyPairSigner(),
    ])
    const holder = await generateKeyPairSigner()
    const [mintRent, accountRent] = await Promise.all([
      writer.rent(getMintSize()),
      writer.rent(getTokenSize()),
    ])
    const open = (newAccount: typeof mint, space: number, lamports: bigint) =>
      getCreateAccountInstruction({
        payer,
        newAccount,
        lamports,
        space,
        programAddress: TOKEN_PROGRAM_ADDRESS,
      })
    const [mintKey, owner, destination] = [mint.address, payer.address, to.address]
    await writer.send(payer, [
      open(mint, getMintSize(), mintRent),
      getInitializeMint2Instruction({ mint: mintKey, decimals: 3, mintAuthority: owner }),
      open(from, getTokenSize(), accountRent),
      getInitializeAccount3Instruction({ account: from.address, mint: mintKey, owner }),
      open(to, getTokenSize(), accountRent),
      getInitializeAccount3Instruction({ account: destination, mint: mintKey, owner: holder.address }),
      getMintToInstruction({ mint: mintKey, token: from.address, mintAuthority: payer, amount: 10_000n }),
    ])
    const transfer = { source: from.address, mint: mintKey, destination, authority: payer, decimals: 3 }
    const { updates, signature } = await collectUpdates(
      {
        slots: { slots: {} },
        transactions: { mine: { accountRequired: [to.address] } },
        accounts: { holderAccount: { owner: [TOKEN_PROGRAM_ADDRESS], account: [destination] } },
      },
      () => writer.send(payer, [getTransferCheckedInstruction({ ...transfer, amount: 2_500n })]),
      (collected, sentSignature) =>
        find(collected, sentSignature) !== undefined &&
        collected.some(({ updateOneof: { $case } }) => $case === 'account'),
    )
    const { transaction } = find(updates, signature) ?? {}
    if (!transaction) throw new Error('the transaction has arrived')
    const token = { mint: mintKey, programId: TOKEN_PROGRAM_ADDRESS, decimals: 3 }
    const changes = [
      { ...token, address: from.address, owner, before: 10_000n, after: 7_500n, change: -2_500n },
      { ...token, address: destination, owner: holder.address, before: 0n, after: 2_500n, change: 2_500n },
    ]
    const byAddress = (list: readonly { readonly address: string }[]) =>
      list.toSorted((a, b) => (a.address < b.address ? -1 : 1))
    expect(byAddress(tokenBalanceChanges(transaction))).toEqual(byAddress(changes))
    expect(transaction.meta?.preTokenBalances).toHaveLength(2)
    expect(
      transaction.meta?.postTokenBalances.map(({ uiTokenAmount }) => uiTokenAmount?.uiAmountString),
    ).toEqual(expect.arrayContaining(['7.5', '2.5']))
    expect(logMessages(transaction)?.[0]).toBe(`Program ${TOKEN_PROGRAM_ADDRESS} invoke [1]`)
    // Only the balance of the fee payer changed.
    expect(lamportChanges(transaction).map(({ address }) => address)).toEqual([owner])
  })

  it('that fails has the same error in kit and in our client', async () => {
    const payer = await writer.createPayer()
    const excessive = getTransferSolInstruction({
      source: payer,
      destination: payer.address,
      amount: 1n << 60n,
    })
    const rejected: unknown = await writer.send(payer, [excessive]).catch((error: unknown) => error)
    expect(isSolanaError(rejected)).toBe(true)
    expect(await writer.rpc.getBalance(payer.address, { commitment: 'processed' }).send()).toMatchObject({
      value: 5_000_000_000n,
    })
    const { updates, signature } = await collectUpdates(
      {
        slots: { slots: {} },
        transactions: { failed: { failed: true, accountInclude: [payer.address] } },
        transactionsStatus: { status: { accountInclude: [payer.address] } },
      },
      () => writer.send(payer, [excessive], true),
      (collected, sentSignature) =>
        find(collected, sentSignature) !== undefined &&
        collected.some(({ updateOneof: { $case } }) => $case === 'transactionStatus'),
    )
    const { transaction, slot } = find(updates, signature) ?? {}
    const bytes = transaction?.meta?.err?.err ?? new Uint8Array()
    const failure = decodeTransactionError(bytes)
    expect(failure).toEqual({
      name: 'InstructionError',
      instructionIndex: 0,
      error: { name: 'Custom', code: 1 },
    })
    const status = await statusOf(signature)
    expect(status?.slot).toBe(slot)
    // kit reads every potentially large number as a bigint.
    expect(
      JSON.stringify(status?.err, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
    ).toBe(JSON.stringify(asJson(failure)))
    const [light] = updates.flatMap(({ updateOneof }) =>
      updateOneof.$case === 'transactionStatus' ? [updateOneof.value] : [],
    )
    expect(light?.err?.err).toEqual(bytes)
    expect(transaction && lamportChanges(transaction).map(({ change }) => change)).toEqual([-5_000n])
  })
})

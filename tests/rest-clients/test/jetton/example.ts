import type { JettonAccess } from './access.ts'

/** Objects of the embedded chain, as any client can find them. */
export interface Example {
  /** The sample jetton, in user-friendly form. */
  readonly master: string
  /** The wallet that holds it, in user-friendly form. */
  readonly wallet: string
  readonly jettonWallet: string
  /** Transaction of the first burn. */
  readonly transaction: Transaction
  /** The message that triggered it. */
  readonly message: Message
  /** The basechain block that contains it. */
  readonly block: { readonly workchain: number; readonly shard: string; readonly seqno: number }
  /** The masterchain block that references that block. */
  readonly masterSeqno: number
  /** The latest masterchain block. Account states before it are not stored. */
  readonly head: number
}

interface Transaction {
  readonly hash: string
  readonly lt: string
}

interface Message {
  readonly hash: string
  readonly source: string
  readonly destination: string
  readonly created_lt: string
  /** Body as a bag of cells. */
  readonly body: string
  readonly body_hash: string
  readonly opcode: string
}

interface BurnRows {
  readonly burns: readonly [
    { readonly burner: { readonly address: string }; readonly transaction: { hash: string } },
  ]
}

interface TransactionRows {
  readonly transactions: readonly [
    Transaction & {
      readonly account: string
      readonly mc_block_seqno: number
      readonly block_ref: Example['block']
      readonly in_msg: Omit<Message, 'body' | 'body_hash'> & {
        readonly message_content: { readonly body: string; readonly hash: string }
      }
    },
  ]
}

/** Finds the sample jetton and the initial burn of the chain. */
export async function findExample({ list, read }: JettonAccess): Promise<Example> {
  const masters = await list<{ readonly jetton_masters: readonly [{ address: string }] }>(
    'jetton/masters',
    {},
  )
  const address = masters.jetton_masters[0].address
  const rows = await list<BurnRows>('jetton/burns', { address, limit: 1, sort: 'asc' })
  const { burner, transaction } = rows.burns[0]
  const found = await list<TransactionRows>('transactions', { hash: transaction.hash })
  const { hash, lt, account, in_msg: message, block_ref: block, mc_block_seqno } = found.transactions[0]
  const { body, hash: body_hash } = message.message_content
  const { last } = await read<{ readonly last: { readonly seqno: number } }>('getMasterchainInfo', {})
  return {
    master: await read<string>('packAddress', { address }),
    wallet: burner.address,
    jettonWallet: account,
    transaction: { hash, lt },
    message: { ...message, body, body_hash },
    // One family writes a shard in hex, the other as a signed number.
    block: { ...block, shard: BigInt.asIntN(64, BigInt(`0x${block.shard}`)).toString() },
    masterSeqno: mc_block_seqno,
    head: last.seqno,
  }
}

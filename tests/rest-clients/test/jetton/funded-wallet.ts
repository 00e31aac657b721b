import { type Address, beginCell, type Cell, external, internal, storeMessage } from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'
import { randomBytes } from 'node:crypto'
import type { JettonNode } from '@fairlead/e2e-tests/gateway'

/** A message from a wallet to another account. */
export interface Transfer {
  readonly to: Address
  /** In nanocoins. */
  readonly value: bigint
  readonly body?: Cell | string
}

/** A wallet (v4 r2) with coins, used by one test only. */
export interface FundedWallet {
  readonly address: Address
  /** Signs the next message, which has to be sent before the following one. Returns a bag of cells in base64. */
  next(transfer: Transfer): string
  /** The content of the next message, as `estimateFee` accepts it. */
  estimate(transfer: Transfer): object
}

/** Creates a wallet that the faucet has funded with 10 coins. Its first message deploys it. */
export async function fundedWallet(node: JettonNode): Promise<FundedWallet> {
  const { publicKey, secretKey } = keyPairFromSeed(randomBytes(32))
  const wallet = WalletContractV4.create({ workchain: 0, publicKey })
  await fund(node, wallet.address)
  let seqno = 0
  const contentOf = (transfer: Transfer) => ({
    body: wallet.createTransfer({ seqno, secretKey, messages: [internal(transfer)] }),
    init: seqno === 0 ? wallet.init : undefined,
  })
  return {
    address: wallet.address,
    next: (transfer) => {
      const message = external({ to: wallet.address, ...contentOf(transfer) })
      seqno += 1
      return base64Of(beginCell().store(storeMessage(message)).endCell())
    },
    estimate: (transfer) => {
      const { body, init } = contentOf(transfer)
      return {
        address: wallet.address.toString(),
        body: base64Of(body),
        ...(init && { init_code: base64Of(init.code), init_data: base64Of(init.data) }),
      }
    },
  }
}

function base64Of(cell: Cell): string {
  return cell.toBoc().toString('base64')
}

/** Requests 10 coins from the faucet for an account. */
export async function fund({ faucet_url: url }: JettonNode, account: Address): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: account.toString({ bounceable: false }) }),
  })
  if (!response.ok) throw new Error(`the faucet returned ${response.status}`)
}

import type { JettonExample } from '@fairlead/devnet'
import { Address, beginCell, type Cell, external, internal, SendMode, storeMessage } from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'

/** A burn that was sent. */
export interface SentBurn {
  readonly amount: bigint
  readonly comment: string
}

/** The wallet of the sample data, which owns jettons. */
export interface JettonWallet {
  readonly address: Address
  /** Burns jettons with one message, which holds at most four burns. */
  burn(burns: readonly SentBurn[]): Promise<void>
  /** Sends the jetton master a notification of a burn that did not happen. Only its own wallets may send one. */
  forgeBurn(amount: bigint): Promise<void>
}

const fees = 100_000_000n

/**
 * Opens the wallet of the sample data.
 *
 * @param chainUrl - URL of the chain itself
 */
export async function openWallet(chainUrl: string, example: JettonExample): Promise<JettonWallet> {
  const { publicKey, secretKey } = keyPairFromSeed(Buffer.from(example.wallet_seed, 'hex'))
  const wallet = WalletContractV4.create({ workchain: 0, publicKey })
  const post = async (method: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const url = `${chainUrl}/api/v2/${method}`
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const { result, error } = (await response.json()) as { result?: unknown; error?: string }
    if (!response.ok) throw new Error(`${method}: ${error}`)
    return result
  }
  const address = wallet.address.toString()
  const { stack } = (await post('runGetMethod', { address, method: 'seqno', stack: [] })) as {
    stack: [[string, string]]
  }
  let seqno = Number(stack[0][1])
  const send = async (to: string, bodies: readonly Cell[]) => {
    const messages = bodies.map((body) => internal({ to: Address.parse(to), value: fees, body }))
    const sendMode = SendMode.PAY_GAS_SEPARATELY
    const order = wallet.createTransfer({ seqno: seqno++, secretKey, messages, sendMode })
    const message = beginCell().store(storeMessage(external({ to: wallet.address, body: order })))
    await post('sendBoc', { boc: message.endCell().toBoc().toString('base64') })
  }
  return {
    address: wallet.address,
    burn: (burns) => send(example.jetton_wallet, burns.map(burnBody)),
    forgeBurn: (amount) =>
      send(example.jetton_master, [
        beginCell()
          .storeUint(0x7bdd97de, 32)
          .storeUint(0, 64)
          .storeCoins(amount)
          .storeAddress(wallet.address)
          .storeAddress(null)
          .endCell(),
      ]),
  }
}

/**
 * The message of an owner that burns jettons with a comment (TEP-74, TEP-467). There is no recipient for the excess
 * coins.
 */
function burnBody({ amount, comment }: SentBurn): Cell {
  const payload = comment === '' ? null : beginCell().storeUint(0, 32).storeStringTail(comment).endCell()
  return beginCell()
    .storeUint(0x595f07bc, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(null)
    .storeMaybeRef(payload)
    .endCell()
}

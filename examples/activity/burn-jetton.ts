import { createJettonV3Client, toUnits, unwrap } from '@fairlead/jetton/v3'
import { Address, beginCell, external, internal, SendMode, storeMessage } from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'

/** The node of the embedded jetton chain, as described in `.fairlead/dev.json`. */
export interface JettonNode {
  readonly node_url: string
  readonly token: string
  /** The keys are public: they have no value on any other chain. */
  readonly example: { readonly wallet_seed: string; readonly jetton_wallet: string }
}

const decimals = 9
const fees = 100_000_000n

/**
 * Burns some of the sample jetton from the wallet that holds it.
 *
 * @param amount - in units of the jetton, for example `7.5`
 * @param comment - comment of the burn, or an empty string for none
 */
export async function burnJetton(
  { node_url, token, example }: JettonNode,
  amount: string,
  comment: string,
): Promise<void> {
  const jetton = createJettonV3Client({ url: node_url, auth: { kind: 'token', token } })
  const { publicKey, secretKey } = keyPairFromSeed(Buffer.from(example.wallet_seed, 'hex'))
  const wallet = WalletContractV4.create({ workchain: 0, publicKey })
  const query = { address: wallet.address.toString() }
  const { seqno = 0 } = await unwrap(jetton.GET('/api/v3/walletInformation', { params: { query } }))
  // TEP-74: burn#595f07bc query_id amount response_destination custom_payload
  const payload = comment === '' ? null : beginCell().storeUint(0, 32).storeStringTail(comment).endCell()
  const body = beginCell()
    .storeUint(0x595f07bc, 32)
    .storeUint(0, 64)
    .storeCoins(toUnits(amount, decimals))
    .storeAddress(wallet.address)
    .storeMaybeRef(payload)
    .endCell()
  const messages = [internal({ to: Address.parse(example.jetton_wallet), value: fees, body })]
  const order = wallet.createTransfer({ seqno, secretKey, messages, sendMode: SendMode.PAY_GAS_SEPARATELY })
  const message = beginCell().store(storeMessage(external({ to: wallet.address, body: order })))
  const boc = message.endCell().toBoc().toString('base64')
  await unwrap(jetton.POST('/api/v3/message', { body: { boc } }))
}

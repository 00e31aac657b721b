import { contractAddress, toNano } from '@ton/core'
import {
  burnBody,
  commentPayload,
  mintBody,
  minterInit,
  transferBody,
  walletOf,
} from '../jettons/sample-jetton.ts'
import type { Accounts } from './accounts.ts'
import type { BlockProducer } from './block-producer.ts'
import { faucetAccount, sendCoins } from './faucet.ts'
import type { JettonExample, Trace } from './jetton-chain.ts'
import { writeMessage } from './message-executor.ts'
import { WalletV4, type WalletTransfer } from './wallet-v4.ts'

// Public, like everything on a development chain: its coins have no value on any other network.
const seed = Buffer.from('fairlead development coin wallet')
const coins = toNano(1_000_000)
const jettons = toNano(1_000_000)
const content = {
  name: 'Sample Jetton',
  symbol: 'SAMPLE',
  decimals: '9',
  description: 'A jetton of the development chain.',
}
const longComment =
  'Ein Kommentar, der über mehrere Zellen geht und an deren Grenzen Zeichen aus mehreren Bytes hat: déjà vu, ' +
  'Ελληνικό κείμενο για δοκιμή, русский текст для проверки, 日本語の文章もここにあります。' +
  'And a few plain words at the end, so that there are three cells of it.'
const validSeconds = 60
const fees = toNano('0.1')

/**
 * Fills a new chain: a wallet with coins, a jetton, transfers of it to two other wallets, and three burns.
 *
 * @param producer Produces the blocks.
 * @param accounts The accounts of the chain.
 * @returns Hashes and addresses of the sample data.
 */
export async function addSampleData(producer: BlockProducer, accounts: Accounts): Promise<JettonExample> {
  const wallet = new WalletV4(seed)
  const owner = wallet.address
  const init = minterInit(owner, content)
  const master = contractAddress(0, init)
  const jettonWallet = walletOf(master, owner)
  let seqno = 0
  const send = async (transfer: WalletTransfer): Promise<Trace> => {
    const message = wallet.transfer(seqno++, producer.now() + validSeconds, [transfer])
    const { trace } = await producer.execute(writeMessage(message))
    return trace
  }

  await producer.execute(writeMessage(sendCoins(accounts.state(faucetAccount), producer.now(), owner, coins)))
  await send({ to: master, value: toNano(1), init, body: mintBody(owner, jettons, fees) })
  for (const name of ['first', 'second']) {
    const receiver = new WalletV4(Buffer.from(`development coins ${name}`.padEnd(32))).address
    await send({
      to: jettonWallet,
      value: fees,
      body: transferBody(owner, receiver, toNano(1_000), toNano('0.01')),
    })
  }
  const burn = (amount: bigint, comment: string | undefined) =>
    send({
      to: jettonWallet,
      value: fees,
      body: burnBody(owner, amount, comment === undefined ? null : commentPayload(comment)),
    })
  await burn(toNano(10), undefined)
  await burn(toNano(20), longComment)
  const trace = await burn(toNano(30), 'Burned for the sample data')
  const burned = trace.transactions.find(({ account }) => account === jettonWallet.toRawString())
  if (burned === undefined) throw new Error('the sample data has no burn')
  return {
    jetton_master: master.toString(),
    wallet: owner.toString(),
    wallet_seed: seed.toString('hex'),
    jetton_wallet: jettonWallet.toString(),
    burn_hash: burned.hash.toString('base64'),
  }
}

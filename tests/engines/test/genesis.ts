import { privateKeyToAccount } from 'viem/accounts'

// The first account of the well-known test mnemonic.
const sender = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
/** The account that owns the coins of the chain. */
export const senderAddress = sender.address
// Logs its block number when it is called.
const loggingContract = '0x0000000000000000000000000000000000001009'
const chainId = 1_337

/** The genesis block of a chain that is driven through the engine API. */
export function genesis(timestamp: number): object {
  const forks =
    'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london mergeNetsplit'
  const genesisForks = Object.fromEntries(forks.split(' ').map((name) => [`${name}Block`, 0]))
  const cancun = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 }
  return {
    config: {
      chainId,
      ...genesisForks,
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      cancunTime: 0,
      blobSchedule: { cancun },
    },
    timestamp: `0x${timestamp.toString(16)}`,
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    alloc: {
      [sender.address]: { balance: '0xd3c21bcecceda1000000' },
      [loggingContract]: { balance: '0x0', code: '0x435f5260205fa0' },
    },
  }
}

/** A signed transaction that emits one log. */
export function signed(nonce: number): Promise<string> {
  return sender.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to: loggingContract,
    gas: 100_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 0n,
  })
}

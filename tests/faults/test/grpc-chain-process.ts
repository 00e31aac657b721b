/** Runs the embedded Solana chain until it is killed. Arguments: its directory and its options. */
import { type SolanaOptions, startDevnet } from '@fairlead/devnet'

const [, , dataDirectory = '', options = '{}'] = process.argv
const devnet = await startDevnet({
  dataDirectory,
  chains: ['solana'],
  solana: JSON.parse(options) as SolanaOptions,
})
const [{ url, example }] = devnet.chains
process.stdout.write(`${JSON.stringify({ url, example })}\n`)

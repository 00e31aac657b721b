/** A process that runs a devnet, for the tests that kill it: `node parent.ts <data directory>`. */
import { startDevnet } from '../src/index.ts'

const devnet = await startDevnet({ dataDirectory: process.argv[2] ?? '', chains: ['evm'] })
process.stdout.write(`${JSON.stringify(devnet.chains[0])}\n`)

// A node in a separate process, so that a test can stop it with a signal.
import { startPlainNode } from './plain-node.ts'

process.send?.((await startPlainNode()).url)
process.once('disconnect', () => process.exit())

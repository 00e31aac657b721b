import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'

const root = import.meta.dirname
const built = join(root, 'dist/index.html')
const sources = [
  'src',
  'public',
  'index.html',
  'reference.html',
  'reference-data',
  'package.json',
  'vite.config.ts',
  '../../specs',
]
// The playground is built from the contracts, the reference from the specifications.
const contracts = ['evm-rpc', 'beacon', 'jetton'].map((family) => join('..', family, 'src/generated'))

/**
 * When a file or any file below a folder was last changed; the time of a folder changes when files in it are added,
 * renamed or removed.
 */
async function changedAt(path: string): Promise<number> {
  const { mtimeMs } = await stat(path)
  const names = await readdir(path, { recursive: true }).catch(() => [])
  const below = await Promise.all(names.map(async (name) => (await stat(join(path, name))).mtimeMs))
  return Math.max(mtimeMs, ...below)
}

const builtAt = await stat(built).then(
  ({ mtimeMs }) => mtimeMs,
  () => 0,
)
const changes = await Promise.all([...sources, ...contracts].map((path) => changedAt(join(root, path))))
if (Math.max(...changes) > builtAt) {
  const started = performance.now()
  await build({ root, mode: 'start', logLevel: 'error' })
  process.stdout.write(`console: built (${Math.round(performance.now() - started)} ms)\n`)
}

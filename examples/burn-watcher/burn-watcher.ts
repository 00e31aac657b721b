/** Prints the burns of a jetton since a point in time and then as they occur, each once, also across restarts. */
import { type BurnCursor, createJettonV3Client, fromUnits, unwrap, watchBurns } from '@fairlead/jetton/v3'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { inspect, parseArgs } from 'node:util'

const { NODE_URL, NODE_TOKEN, JETTON_MASTER } = process.env
if (!NODE_URL || !NODE_TOKEN || !JETTON_MASTER) throw new Error('Set NODE_URL, NODE_TOKEN and JETTON_MASTER')
const { values } = parseArgs({
  options: {
    since: { type: 'string' },
    file: { type: 'string', default: '.fairlead/example-burns.json' },
    count: { type: 'string', default: 'Infinity' },
  },
})
const count = Number(values.count)
if (!(count >= 1)) throw new Error('--count must be a number from 1 on')
const since = values.since === undefined ? undefined : Date.parse(values.since) / 1_000
if (Number.isNaN(since)) throw new Error('--since must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z')

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const jetton = createJettonV3Client({ url: NODE_URL, auth: { kind: 'token', token: NODE_TOKEN } })
const query = { address: [JETTON_MASTER] }
const { jetton_masters } = await unwrap(jetton.GET('/api/v3/jetton/masters', { params: { query } }))
const [master] = jetton_masters
if (!master) throw new Error('JETTON_MASTER must be the address of a jetton that the index knows')
// TEP-64: a jetton without a decimals value has 9.
const { decimals = 9, symbol = 'units' } = master.jetton_content

let burns = 0
const options = {
  address: JETTON_MASTER,
  // A requested start time has precedence over the one in the file.
  from: since === undefined ? (savedCursor() ?? 'beginning') : { since: Math.floor(since), known: {} },
  pollMs: 1_000,
  signal: stop.signal,
  onError: () => console.error('the node does not respond; retrying'),
} as const
for await (const { burn, cursor } of watchBurns(jetton, options)) {
  const { amount, burner, comment, transaction } = burn
  const time = new Date(transaction.time * 1_000).toISOString()
  const units = `${fromUnits(amount, Number(decimals))} ${String(symbol).replace(/\p{Cc}/gu, '')}`
  // The symbol and the comment are untrusted: no character of them may act as a terminal control sequence.
  console.log(`${time}  ${units}  ${burner.address}  ${comment === '' ? '' : inspect(comment)}`.trimEnd())
  save(cursor)
  if (++burns >= count) break
}

/** Where the last run of this jetton stopped. */
function savedCursor(): BurnCursor | undefined {
  try {
    const saved: { jetton: string; cursor: BurnCursor } = JSON.parse(readFileSync(values.file, 'utf8'))
    return saved.jetton === JETTON_MASTER ? saved.cursor : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Records atomically that everything up to the cursor was printed. */
function save(cursor: BurnCursor): void {
  mkdirSync(dirname(values.file), { recursive: true })
  writeFileSync(`${values.file}.new`, `${JSON.stringify({ jetton: JETTON_MASTER, cursor })}\n`)
  renameSync(`${values.file}.new`, values.file)
}

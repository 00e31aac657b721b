// A service with 100 and with 1,000,000 credentials in PostgreSQL: how long a start takes, memory, CPU for a
// call, and how long a credential that is revoked still works. Needs psql and an empty database:
//   DATABASE_URL=postgresql://... npm run benchmark -- directory
import { execFile, spawn } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const { DATABASE_URL: databaseUrl } = process.env
if (databaseUrl === undefined) throw new Error('DATABASE_URL must name an empty database.')
const secretKey = randomBytes(32).toString('hex')
const folder = await mkdtemp(join(tmpdir(), 'fairlead-directory-'))
const node = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  request.resume().on('end', () => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
}).listen(0, '127.0.0.1')
await once(node, 'listening')
const nodeAddress = node.address()
const nodePort = typeof nodeAddress === 'object' ? nodeAddress?.port : undefined

const query = (text: string) => promisify(execFile)('psql', [databaseUrl, '-qAtc', text])
const tokenOf = (at: number) => hash('md5', `token ${at}`)

async function start() {
  const bin = new URL('../packages/gateway/src/bin.ts', import.meta.url).pathname
  const began = performance.now()
  const service = spawn(process.execPath, ['--conditions=@fairlead/source', bin, 'serve'], {
    cwd: folder,
    env: {
      ...process.env,
      FAIRLEAD_PORT: '0',
      FAIRLEAD_LOG_LEVEL: 'error',
      FAIRLEAD_PROBE_NODES: 'false',
      FAIRLEAD_SECRET_KEY: secretKey,
      FAIRLEAD_EVM_UPSTREAM: `http://127.0.0.1:${nodePort}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => service.kill())
  let output = ''
  const url = await new Promise<string>((ready, failed) => {
    service.once('exit', (code) => failed(new Error(`The service ended with ${code}.`)))
    service.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const printed = /running at (\S+)/.exec(output)?.[1]
      if (printed !== undefined) ready(printed)
    })
  })
  const processId = service.pid ?? 0
  const stop = async () => {
    const ended = new Promise((resolve) => service.once('exit', resolve))
    service.kill('SIGTERM')
    await ended
  }
  return { url, processId, startMs: performance.now() - began, stop }
}

async function call(url: string, at: number): Promise<number> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
  const response = await fetch(`${url}/${tokenOf(at)}`, { method: 'POST', body })
  await response.arrayBuffer()
  return response.status
}

/** Seconds of CPU that a process has used. */
async function cpuOf(processId: number): Promise<number> {
  const fields = (await readFile(`/proc/${processId}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function residentMegabytes(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024)
}

async function measure(count: number) {
  await query(`
    insert into node_credentials (id, node_id, kind, sha256, origin)
      select 'CR-' || n, (select id from nodes where managed_by = 'configuration'), 'token',
        encode(sha256(convert_to(md5('token ' || n), 'UTF8')), 'hex'), 'user'
      from generate_series(1, ${count}) n on conflict do nothing`)
  const { url, processId, startMs, stop } = await start()
  const memory = await residentMegabytes(processId)
  for (let round = 0; round < 2_000; round++) await call(url, 1 + (round % 100))
  const before = await cpuOf(processId)
  const calls = 5_000
  for (let round = 0; round < calls; round++) await call(url, 1 + ((round * 7_919) % count))
  const perCall = ((await cpuOf(processId)) - before) / calls
  const delays: number[] = []
  for (let at = 1; at <= 5; at++) {
    await query(`update node_credentials set revoked_at = clock_timestamp() where id = 'CR-${at}'`)
    const revoked = performance.now()
    while ((await call(url, at)) === 200) await new Promise((resolve) => setTimeout(resolve, 1))
    delays.push(performance.now() - revoked)
  }
  await query('update node_credentials set revoked_at = null where revoked_at is not null')
  await stop()
  return { count, startMs, memory, perCall, revocationMs: Math.max(...delays) }
}

const first = await start()
await first.stop()
const small = await measure(100)
const large = await measure(1_000_000)
for (const { count, startMs, memory, perCall, revocationMs } of [small, large]) {
  console.log(
    `${String(count).padStart(9)} credentials: start ${Math.round(startMs)} ms, ${memory} MB, ` +
      `${Math.round(perCall * 1e6)} us of CPU for a call, revoked within ${revocationMs.toFixed(1)} ms`,
  )
}
console.log(`CPU for a call, ratio: ${(large.perCall / small.perCall).toFixed(2)}`)
node.close()
await rm(folder, { recursive: true, force: true })
process.exit(0)

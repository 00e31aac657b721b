import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test, vi } from 'vitest'
import { processorTime } from '../runtime/processor-time.ts'
import { untilUnresponsive } from './response-watch.ts'

// Loops forever at the first request, as an engine that works on one for long.
const busyServer = `
  const server = require('node:http').createServer(() => { for (;;); })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`
const deadlineMs = 300

test.skipIf(process.platform === 'win32')('a busy engine does not hang, a stopped one does', async () => {
  const engine = spawn(process.execPath, ['--eval', busyServer], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void engine.kill('SIGKILL'))
  const [port] = await once(createInterface({ input: engine.stdout }), 'line')
  const options = { url: `http://127.0.0.1:${String(port)}`, pid: engine.pid as number, deadlineMs }

  const ending = new AbortController()
  const times = new Set<string | undefined>()
  const watched = untilUnresponsive({ ...options, signal: ending.signal })
  // At least four deadlines pass, each with processor time.
  await vi.waitUntil(() => times.add(processorTime(options.pid)).size > 4, {
    timeout: 60_000,
    interval: deadlineMs,
  })
  ending.abort()
  expect(await watched).toBe(false)

  engine.kill('SIGSTOP')
  expect(await untilUnresponsive({ ...options, signal: new AbortController().signal })).toBe(true)
})

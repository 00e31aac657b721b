import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { serve } from '@fairlead/e2e-tests/served'
import { figure } from './figure.ts'

const calls = 1_200
const stopAtCall = 300
const perStep = 3
const stepMs = 10
// Retries of slow calls start after a tenth of this time, when the test has ended: only the detection of a silent
// upstream resends the calls.
const upstreamTimeoutMs = 600_000

interface NodeProcess {
  readonly url: string
  readonly process: ChildProcess
}

async function startNode(): Promise<NodeProcess> {
  const child = fork(new URL('node-process.ts', import.meta.url))
  onTestFinished(() => void child.kill('SIGKILL'))
  const [url] = (await once(child, 'message')) as [string]
  return { url, process: child }
}

async function call(url: string, number: number): Promise<{ readonly ms: number; readonly text: string }> {
  const started = performance.now()
  const method = number % 3 === 0 ? 'eth_call' : 'eth_getBalance'
  const address = `0x${number.toString(16).padStart(40, '0')}`
  const params = [method === 'eth_call' ? { to: address } : address, 'latest']
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return { text: await response.text(), ms: performance.now() - started }
}

it.each(['first', 'second'])(
  'no client waits for a timeout or gets an error when the %s upstream is stopped',
  async (position) => {
    const [stopped, running] = await Promise.all([startNode(), startNode()])
    // Nearly all calls are routed to the stopped upstream.
    const preferred = `${stopped.url}#weight=1000`
    const upstreams = position === 'first' ? [preferred, running.url] : [running.url, preferred]
    const gateway = await serve({
      FAIRLEAD_EVM_UPSTREAM: upstreams.join(' '),
      FAIRLEAD_UPSTREAM_TIMEOUT_MS: `${upstreamTimeoutMs}`,
    })
    onTestFinished(() => gateway.remove())
    const url = `${gateway.url}/${gateway.token}`
    const all: ReturnType<typeof call>[] = []
    while (all.length < calls) {
      if (all.length === stopAtCall) stopped.process.kill('SIGSTOP')
      for (let index = 0; index < perStep; index += 1) all.push(call(url, all.length))
      await pause(stepMs)
    }
    const outcomes = await Promise.all(all)
    figure(`stopped, ${position}: longest ms`, Math.max(...outcomes.map(({ ms }) => Math.round(ms))))
    expect(new Set(outcomes.map(({ text }) => text))).toEqual(
      new Set(['{"jsonrpc":"2.0","id":1,"result":"0x1"}']),
    )

    // It receives calls again once it responds. It is then the only one left.
    stopped.process.kill('SIGCONT')
    running.process.kill('SIGKILL')
    await vi.waitFor(async () => expect((await call(url, calls)).text).toContain('"result"'), {
      timeout: 20_000,
    })
  },
)

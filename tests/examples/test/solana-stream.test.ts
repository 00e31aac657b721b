import { expect, inject, it, onTestFinished } from 'vitest'
import { start } from './example.ts'
import { startRelay } from './relay.ts'

it('prints every block and transaction once, across a lost connection', async () => {
  const { node_url, x_token } = inject('development').nodes[3]
  const relay = await startRelay(node_url)
  onTestFinished(() => relay.close())
  const variables = { NODE_URL: relay.url, NODE_TOKEN: x_token }
  const stream = start(['solana-stream', '--count', '10'], { variables })
  await stream.printed(/^block/, 4)
  const restore = relay.disconnect()
  await stream.printed(/^-- connection lost/)
  restore()
  const { code, lines } = await stream.waitForExit()
  expect(code).toBe(0)

  const notes = lines.filter((line) => line.startsWith('--'))
  expect(notes.at(0)).toMatch(/^-- connection lost, again in \d+ ms$/)
  expect(notes.at(-1)).toMatch(/^-- resumed from slot \d+$/)
  const slots = lines.flatMap((line) => /^block {2}slot (\d+) /.exec(line)?.slice(1) ?? []).map(Number)
  const [first = 0] = slots
  expect(slots).toEqual(Array.from({ length: 10 }, (_, index) => first + index))

  const transactions = lines.filter((line) => line.startsWith('tx'))
  expect(new Set(transactions).size).toBe(transactions.length)
  expect(transactions.some((line) => /fee \d+ {2}ok$/.test(line))).toBe(true)
  // Every fourth block of the embedded chain has a transfer that fails.
  expect(transactions.some((line) => /failed: instruction \d: Custom 1$/.test(line))).toBe(true)
  // The printed transactions match the count of their block, if the whole block was received.
  for (const line of lines.filter((candidate) => candidate.startsWith('block')).slice(1)) {
    const [, slot, count] = /slot (\d+) .* (\d+) transactions$/.exec(line) ?? []
    expect(transactions.filter((candidate) => candidate.includes(`slot ${slot} `))).toHaveLength(
      Number(count),
    )
  }
})

it('stops on Ctrl-C', async () => {
  const stream = start(['solana-stream'])
  await stream.printed(/^block/)
  expect((await stream.waitForExit('SIGINT')).code).toBe(0)
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { run, start } from './example.ts'

interface Burn {
  readonly amount: string
  readonly comment: string
  readonly transaction: { readonly time: number }
}

/** All burns of the sample jetton, oldest first, read without any of our clients. */
async function burns(): Promise<readonly Burn[]> {
  const { node_url, token, example } = inject('development').nodes[2]
  const url = `${node_url}/${token}/api/v3/jetton/burns?address=${example['jetton_master']}&sort=asc`
  const response: { burns: readonly Burn[] } = await (await fetch(url)).json()
  return response.burns
}

/** Returns the name of a file that does not exist yet, also on a retry of the test. */
const newFile = () => `burns-${crypto.randomUUID()}.json`

it('prints the existing burns, in units of the jetton', async () => {
  const file = newFile()
  const { code, lines } = await run(['burn-watcher', '--file', file, '--count', '3'])
  expect(code).toBe(0)
  expect(lines).toHaveLength(3)
  expect(lines.map((line) => line.split('  ')[1])).toEqual(['10 SAMPLE', '20 SAMPLE', '30 SAMPLE'])
  expect(lines[2]).toContain("'Burned for the sample data'")
  expect(JSON.parse(await readFile(join(inject('folder'), file), 'utf8'))).toHaveProperty('cursor')
})

it('resumes after them, and prints a new burn, with control characters in its comment escaped', async () => {
  const file = newFile()
  const { length } = await burns()
  expect((await run(['burn-watcher', '--file', file, '--count', String(length)])).code).toBe(0)
  const watcher = start(['burn-watcher', '--file', file])
  await run(['activity', 'burn', '7.5', '--comment', 'Paid \u001B[2Jback'])
  await watcher.printed(/7\.5 SAMPLE/)
  const { code, lines } = await watcher.waitForExit('SIGINT')
  expect(code).toBe(0)
  expect(lines).toEqual([expect.stringContaining("'Paid \\x1B[2Jback'")])
})

it('starts at a given time', async () => {
  // Later than the burns of the sample data.
  await run(['activity', 'burn', '1'])
  const all = await burns()
  const { time } = all.at(-1)?.transaction ?? { time: 0 }
  const expected = all.filter(({ transaction }) => transaction.time >= time)
  expect(expected.length).toBeLessThan(all.length)
  const since = new Date(time * 1_000).toISOString()
  const argv = ['burn-watcher', '--file', newFile(), '--since', since, '--count', String(expected.length)]
  const { code, lines } = await run(argv)
  expect(code).toBe(0)
  expect(lines).toHaveLength(expected.length)
  expect(lines.every((line) => line.startsWith(since))).toBe(true)
})

it('rejects an invalid time', async () => {
  const { code, output } = await run(['burn-watcher', '--since', 'yesterday'])
  expect(code).toBe(1)
  expect(output).toMatch(/^--since must be a time such as .*\n$/)
})

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

it('the guide contains this module', async () => {
  const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')
  const guide = await read('../../../docs/contributing/add-a-protocol.md')
  expect(/```ts\n([^]*?)```/.exec(guide)?.[1]).toBe(await read('rollup.ts'))
})

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { hasPendingChangesets } from './pending-changesets.ts'

it('a changeset without releases is not pending', async () => {
  const root = await mkdtemp(join(tmpdir(), 'fairlead-changesets-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await mkdir(join(root, '.changeset'))
  const write = (name: string, text: string) => writeFile(join(root, '.changeset', name), text)
  expect(await hasPendingChangesets(root)).toBe(false)
  await write('empty.md', '---\n---\n\nTests only.\n')
  await write('none.md', "---\n'@fairlead/ships': none\n---\n\nWords.\n")
  expect(await hasPendingChangesets(root)).toBe(false)
  await write('patch.md', "---\n'@fairlead/ships': patch\n---\n\nSails.\n")
  expect(await hasPendingChangesets(root)).toBe(true)
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ConsoleFiles } from './console-files.ts'

it('all requests for a file share its bytes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-console-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'index.html'), '<!doctype html>')
  const files = new ConsoleFiles(folder)
  const found = await Promise.all(Array.from({ length: 100 }, () => files.find('index.html', '')))
  found.push(await files.find('index.html', 'br'))
  expect(new Set(found.map((file) => file?.bytes.buffer)).size).toBe(1)
  expect(found[0]?.bytes.toString()).toBe('<!doctype html>')
})

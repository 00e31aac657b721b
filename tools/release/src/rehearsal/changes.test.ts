import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { specChanges } from './changes.ts'

const specs = join(import.meta.dirname, '../../../../specs')

it.each(specChanges)('the specifications contain what the rehearsal replaces: $name', async (change) => {
  const root = await mkdtemp(join(tmpdir(), 'fairlead-rehearsal-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await cp(specs, join(root, 'specs'), { recursive: true })
  await expect(change.edit(root)).resolves.toBeUndefined()
})

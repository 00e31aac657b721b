import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { copyPages } from './copy-pages.ts'
import { writeApiPages } from './api-pages.ts'
import { writeSpecificationPages } from './specification-pages.ts'

const root = resolve(import.meta.dirname, '..')

// What was taken away since the last time is to leave no page behind.
for (const folder of ['api', 'packages', 'specifications']) {
  await rm(resolve(root, folder), { recursive: true, force: true })
}
await Promise.all([copyPages(root), writeSpecificationPages(root)])
await writeApiPages(root)

import { relative, resolve, sep } from 'node:path'
import { expect, it } from 'vitest'
import { importedFiles, loadedSpecifiers } from './imported-files.ts'
import { readTestTasks } from './test-tasks.ts'

const root = resolve(import.meta.dirname, '../../..')
const pathOf = (file: string | undefined) => (file === undefined ? '' : relative(root, file))

it('a test task runs again after a change of any file that its tests load', () => {
  const tasks = readTestTasks(root)
  expect(tasks.length).toBeGreaterThan(30)
  const missing = tasks.flatMap(({ name, folder, inputs }) => {
    const programs = [...inputs].filter((file) => file.startsWith(folder + sep) && /\.(?:ts|tsx)$/.test(file))
    return [...importedFiles(programs)]
      .filter(([file]) => !inputs.has(file))
      .map(([file, importer]) => `${name}: ${pathOf(file)}, loaded by ${pathOf(importer)}`)
  })
  expect(missing).toEqual([])
})

it('follows imports through files and packages', () => {
  const files = [...importedFiles([import.meta.filename]).keys()].map(pathOf)
  expect(files).toEqual(
    expect.arrayContaining(['tools/boundaries/src/imported-files.ts', 'tools/boundaries/src/test-tasks.ts']),
  )
  const program = resolve(root, 'packages/sdk/src/index.ts')
  expect([...importedFiles([program]).keys()].map(pathOf)).toContain('packages/core/src/index.ts')
})

it('finds what a module loads at run time', () => {
  const text = `
    import a from './a.ts'
    import './b.ts'
    import type { C } from './c.ts'
    export * from './d.ts'
    export type { E } from './e.ts'
    const f = await import('./f.ts')
    const g = new URL('./g.ts', import.meta.url)
    const h: typeof import('./h.ts') = a
    const i = <p>{"import './i.ts'"}</p>
  `
  expect(loadedSpecifiers(text)).toEqual(['./a.ts', './b.ts', './d.ts', './f.ts', './g.ts'])
})

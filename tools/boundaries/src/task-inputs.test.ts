import { matchesGlob, relative, resolve, sep } from 'node:path'
import { expect, it } from 'vitest'
import { ImportedFiles, loadedSpecifiers } from './imported-files.ts'
import { specifiersOf } from './read-imports.ts'
import { type CachedTask, readCachedTasks } from './cached-tasks.ts'

const root = resolve(import.meta.dirname, '../../..')
const pathOf = (file: string | undefined) => (file === undefined ? '' : relative(root, file))
const loaded = new ImportedFiles(loadedSpecifiers)

/** Returns the files outside the inputs of a task that programs import. */
function missingInputs({ name, inputs }: CachedTask, programs: readonly string[], imported: ImportedFiles) {
  return [...imported.of(programs)]
    .filter(([file]) => !inputs.has(file))
    .map(([file, importer]) => `${name}: ${pathOf(file)}, imported by ${pathOf(importer)}`)
}

it('a test task runs again after a change of any file that its tests load', () => {
  const tasks = readCachedTasks(root, 'test', 'test:reality').filter(({ name }) => name.includes('#test'))
  expect(tasks.length).toBeGreaterThan(30)
  const missing = tasks.flatMap((task) => {
    const { folder, inputs } = task
    const programs = [...inputs].filter((file) => file.startsWith(folder + sep) && /\.(?:ts|tsx)$/.test(file))
    return missingInputs(task, programs, loaded)
  })
  expect(missing).toEqual([])
})

it('the linter checks each file in one task, and again after a change of any file that it imports', () => {
  const tasks = readCachedTasks(root, 'check').filter(({ name }) => name.startsWith('//#check:lint'))
  expect(tasks.length).toBeGreaterThan(3)
  const files = [...new Set(tasks.flatMap(({ inputs }) => [...inputs]))].filter((file) =>
    /\.(?:ts|tsx|mjs)$/.test(file),
  )
  const imported = new ImportedFiles(specifiersOf)
  const missing = tasks.flatMap((task) =>
    missingInputs(
      task,
      files.filter((file) => isLinted(pathOf(file), task)),
      imported,
    ),
  )
  expect(missing).toEqual([])
  const otherCounts = files.filter(
    (file) => tasks.filter((task) => isLinted(pathOf(file), task)).length !== 1,
  )
  expect(otherCounts.map(pathOf)).toEqual([])
})

/** Whether a task passes a file to the linter, by the folders and the ignored patterns of its command. */
function isLinted(path: string, { command }: CachedTask): boolean {
  const args = command.replaceAll("'", '').split(' -- ')[1]?.split(' ') ?? []
  const isBelow = (pattern: string) => pattern === '.' || matchesGlob(path, `${pattern}/**`)
  const isPattern = (at: number) => args[at - 1] === '--ignore-pattern'
  return (
    args.some((arg, at) => !arg.startsWith('--') && !isPattern(at) && isBelow(arg)) &&
    !args.some((arg, at) => isPattern(at) && isBelow(arg))
  )
}

it('follows imports through files and packages', () => {
  const files = [...loaded.of([import.meta.filename]).keys()].map(pathOf)
  expect(files).toEqual(
    expect.arrayContaining([
      'tools/boundaries/src/imported-files.ts',
      'tools/boundaries/src/cached-tasks.ts',
    ]),
  )
  const program = resolve(root, 'packages/sdk/src/index.ts')
  expect([...loaded.of([program]).keys()].map(pathOf)).toContain('packages/core/src/index.ts')
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

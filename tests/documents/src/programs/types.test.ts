import { basename } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { compile } from './compile.ts'
import { programs, writePrograms } from './program-folder.ts'

it('every program of the pages is type-correct', async () => {
  const folder = writePrograms()
  onTestFinished(() => folder.remove())
  const output = await compile(folder.path, ['../given.d.ts'])
  const complaints = output.replaceAll(
    /^.*?([^/\n(]+)\((\d+),\d+\): /gm,
    (_, file: string, line: string) => `${folder.placeOf(basename(file), Number(line))}: `,
  )
  expect(complaints).toBe('')
  expect(programs.length).toBeGreaterThan(60)
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/scratch.ts'
import { adoptExitState } from './state-file.ts'

const complete = JSON.stringify({ accounts: { '0x1': { code: '0x"}]' } }, blocks: [[], {}] })

test('a complete state replaces the previous one', async () => {
  const directory = await scratchDirectory()
  const [exitFile, file] = [join(directory, 'state.exit.json'), join(directory, 'state.json')]
  writeFileSync(file, 'before')
  writeFileSync(exitFile, complete)
  expect(await adoptExitState(exitFile, file)).toBe(true)
  expect(readFileSync(file, 'utf8')).toBe(complete)
  expect(await adoptExitState(exitFile, file)).toBe(false)
})

test('an incomplete state is deleted and the previous one remains', async () => {
  const directory = await scratchDirectory()
  const [exitFile, file] = [join(directory, 'state.exit.json'), join(directory, 'state.json')]
  writeFileSync(file, 'before')
  for (let length = 0; length < complete.length; length++) {
    writeFileSync(exitFile, complete.slice(0, length))
    expect(await adoptExitState(exitFile, file)).toBe(false)
  }
  expect(readFileSync(file, 'utf8')).toBe('before')
  expect(existsSync(exitFile)).toBe(false)
})

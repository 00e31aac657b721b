import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/scratch.ts'
import { adoptExitState } from './state-file.ts'

const whole = JSON.stringify({ accounts: { '0x1': { code: '0x"}]' } }, blocks: [[], {}] })

test('a state that the engine wrote to the end replaces the one before', async () => {
  const directory = await scratchDirectory()
  const [exitFile, file] = [join(directory, 'state.exit.json'), join(directory, 'state.json')]
  writeFileSync(file, 'before')
  writeFileSync(exitFile, whole)
  expect(await adoptExitState(exitFile, file)).toBe(true)
  expect(readFileSync(file, 'utf8')).toBe(whole)
  expect(await adoptExitState(exitFile, file)).toBe(false)
})

test('a state that breaks off anywhere is dropped and the one before stays', async () => {
  const directory = await scratchDirectory()
  const [exitFile, file] = [join(directory, 'state.exit.json'), join(directory, 'state.json')]
  writeFileSync(file, 'before')
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(exitFile, whole.slice(0, length))
    expect(await adoptExitState(exitFile, file)).toBe(false)
  }
  expect(readFileSync(file, 'utf8')).toBe('before')
  expect(existsSync(exitFile)).toBe(false)
})

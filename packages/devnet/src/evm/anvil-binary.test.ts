import { accessSync, constants } from 'node:fs'
import { expect, test } from 'vitest'
import { findAnvil } from './anvil-binary.ts'

test('the program for this machine is found and may be executed', () => {
  expect(() => accessSync(findAnvil(), constants.X_OK)).not.toThrow()
})

test('a platform that has no engine is named, with those that have one', () => {
  expect(() => findAnvil('sunos', 'sparc')).toThrow(/not published for sunos-sparc, only for .*linux-x64/)
})

test('an engine that was not installed is named with its package', () => {
  const other = process.platform === 'win32' ? 'linux' : 'win32'
  expect(() => findAnvil(other, 'x64')).toThrow(/is not installed \(package @foundry-rs\/anvil-.*-amd64\)/)
})

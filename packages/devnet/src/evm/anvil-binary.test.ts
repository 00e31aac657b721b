import { accessSync, constants } from 'node:fs'
import { expect, test } from 'vitest'
import { findAnvil } from './anvil-binary.ts'

test('finds an executable engine for this platform', () => {
  expect(() => accessSync(findAnvil(), constants.X_OK)).not.toThrow()
})

test('the error for an unsupported platform lists the supported ones', () => {
  expect(() => findAnvil('sunos', 'sparc')).toThrow(/not published for sunos-sparc, only for .*linux-x64/)
})

test('the error for a missing engine names its package', () => {
  const unsupported = process.platform === 'win32' ? 'linux' : 'win32'
  expect(() => findAnvil(unsupported, 'x64')).toThrow(
    /is not installed \(package @foundry-rs\/anvil-.*-amd64\)/,
  )
})

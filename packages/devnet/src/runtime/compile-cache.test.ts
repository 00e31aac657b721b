import { expect, onTestFinished, test, vi } from 'vitest'
import { compileCache } from './compile-cache.ts'

test('returns the variable of the compile cache only if it is set', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('NODE_COMPILE_CACHE', '/tmp/cache')
  expect(compileCache()).toEqual({ NODE_COMPILE_CACHE: '/tmp/cache' })
  vi.stubEnv('NODE_COMPILE_CACHE', undefined)
  expect(compileCache()).toEqual({})
})
